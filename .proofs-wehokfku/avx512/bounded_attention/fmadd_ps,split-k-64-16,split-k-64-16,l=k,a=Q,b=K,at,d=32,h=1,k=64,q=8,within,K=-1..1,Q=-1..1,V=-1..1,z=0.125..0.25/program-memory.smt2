(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_attention/fmadd_ps,split-k-64-16,split-k-64-16,l=k,a=Q,b=K,at,d=32,h=1,k=64,q=8,within,K=-1..1,Q=-1..1,V=-1..1,z=0.125..0.25
; claim: memory
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; memory of K_packed: the buffer's shape depends on sizes only
;   decided without a solver, from the structure alone

; memory of acc: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of b_r: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of a_r: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of acc_2: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of x0_r_2: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of acc_3: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of x1_r_3: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of x2_r_3: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of x0_r_3: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of acc_4: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of x0_r_4: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of acc_5: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of b_r_5: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of a_r_5: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of b_r: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of a_r: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of a_r: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of b_r: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_2: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of x0_r_2: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of x0_r_2: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_2: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_2: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_3: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of x1_r_3: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of x2_r_3: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of x0_r_3: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of x0_r_3: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of x1_r_3: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of x2_r_3: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_3: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_3: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_4: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of x0_r_4: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of x0_r_4: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_4: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_4: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_5: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of b_r_5: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of a_r_5: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of a_r_5: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of b_r_5: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_5: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_5: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of q_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of k_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of k_ub: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of q_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of k_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of q_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of k_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of q_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of q_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of q_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of k_ul: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of d_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of d_ub: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of d_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of d_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory: every index, counter and byte offset fits 64 bits
;   decided without a solver, from the structure alone
