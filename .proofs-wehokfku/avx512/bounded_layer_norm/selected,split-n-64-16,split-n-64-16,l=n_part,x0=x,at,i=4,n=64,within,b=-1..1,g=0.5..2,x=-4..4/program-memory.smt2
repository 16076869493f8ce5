(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_layer_norm/selected,split-n-64-16,split-n-64-16,l=n_part,x0=x,at,i=4,n=64,within,b=-1..1,g=0.5..2,x=-4..4
; claim: memory
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; memory of acc: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of x0_r: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of acc_2: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of x0_r_2: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of x0_r_2: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of acc_3: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of x1_r_3: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of x0_r_3: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of acc_4: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of x0_r_4: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of x0_r_4: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of acc_5: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of x1_r_5: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of x2_r_5: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of x3_r_5: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of x4_r_5: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of x0_r_5: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of x0_r: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of x0_r: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_2: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_2: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of x0_r_2: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of x0_r_2: a register is named by unrolled loops only
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

; memory of acc_2: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_3: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of x1_r_3: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of x0_r_3: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of x0_r_3: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of x1_r_3: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_3: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_3: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_4: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_4: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of x0_r_4: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of x0_r_4: a register is named by unrolled loops only
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

; memory of acc_4: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_5: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of x1_r_5: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of x2_r_5: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of x3_r_5: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of x4_r_5: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of x0_r_5: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of x0_r_5: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of x1_r_5: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of x2_r_5: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of x3_r_5: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of x4_r_5: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_5: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_5: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of i_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_ux1: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of n_ul: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of n_ux3: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of n_ux4: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of n_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of n_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory: every index, counter and byte offset fits 64 bits
;   decided without a solver, from the structure alone
