(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx2/depthwise_separable_conv2d/fmadd_ps,l=c,a=I,b=D,at,R=3,S=3,dp=1,dq=1,pp=1,pq=1,sp=1,sq=1
; claim: memory
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; memory of I_padded: the buffer's shape depends on sizes only
;   decided without a solver, from the structure alone

; memory of acc: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of b_r: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of a_r: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of W_packed_2: the buffer's shape depends on sizes only
;   decided without a solver, from the structure alone

; memory of acc_2: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of b_r_2: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of a_r_2: the number of registers is fixed
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

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_2: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of b_r_2: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of a_r_2: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of a_r_2: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of b_r_2: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_2: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_2: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_2: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_2: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_2: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of q_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of q_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of q_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of n_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of p_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of k_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of k_ub: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of n_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of p_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of k_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of n_ua: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of p_ua: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of k_ua: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of n_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of p_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of k_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory: every index, counter and byte offset fits 64 bits while 4*C*K + 4*C*N*P*Q + 8*C*N*P + 8*C*N*Q + 16*C*N +
;   1556*C*P*Q + 48*C*P + 1008*C*Q + 2796*C + 4*K*N*P*Q + 1556*K*P*Q + 104*K*Q + 1536*K + N*P*Q + 2*N*P + 2*N*Q + 4*N +
;   389*P*Q + 389*P + 252*Q + 89696 < 2**63 (checked at entry)
;   decided without a solver, from the structure alone
