(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512_vnni/pointwise_conv2d/dpbusd,l=k,e=c,a=I,b=W
; claim: memory
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; memory of W_packed: the buffer's shape depends on sizes only
;   decided without a solver, from the structure alone

; memory of I_packed: the buffer's shape depends on sizes only
;   decided without a solver, from the structure alone

; memory of acc: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of b_r: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of a_r: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
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

; memory of n_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of q_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of k_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of n_ul: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of q_ul: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of k_ul: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of k_ub: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of q_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of n_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of k_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of n_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of q_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of k_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory: every index, counter and byte offset fits 64 bits while C*K + C*N*P*Q + 12*C*P*Q + C*Q + 395*C + 4*K*N*P*Q +
;   48*K*P*Q + 4*K*Q + 1580*K + N*P*Q + N*P + 2*N + 12*P*Q + 12*P + 2*Q + 28964 < 2**63 (checked at entry)
;   decided without a solver, from the structure alone
