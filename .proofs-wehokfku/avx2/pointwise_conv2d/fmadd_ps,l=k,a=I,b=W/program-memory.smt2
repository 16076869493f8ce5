(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx2/pointwise_conv2d/fmadd_ps,l=k,a=I,b=W
; claim: memory
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; memory of W_packed: the buffer's shape depends on sizes only
;   decided without a solver, from the structure alone

; memory of acc: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of b_r: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of a_r: the number of registers is fixed
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

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
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

; memory: every index, counter and byte offset fits 64 bits while 4*C*K + 4*C*N*P*Q + 1556*C*P*Q + 104*C*Q + 4*C +
;   4*K*N*P*Q + 1556*K*P*Q + 104*K*Q + 1536*K + N*P*Q + N*P + 2*N + 389*P*Q + 389*P + 26*Q + 89696 < 2**63 (checked at
;   entry)
;   decided without a solver, from the structure alone
