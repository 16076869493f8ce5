(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/conv2d/fmadd_ps,l=k,a=I,b=W,at,R=3,S=3,dp=1,dq=1,pp=1,pq=1,sp=1,sq=1
; claim: memory
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; memory of I_padded: the buffer's shape depends on sizes only
;   decided without a solver, from the structure alone

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

; memory of p_ul: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of q_ul: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of k_ul: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of k_ub: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of p_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of q_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of k_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of p_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of q_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of k_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory: every index, counter and byte offset fits 64 bits while 88*C*K + 4*C*N*P*Q + 8*C*N*P + 8*C*N*Q + 16*C*N +
;   4*C*P*Q + 8*C*P + 1192*C*Q + 3580*C + 4*K*N*P*Q + 4*K*P*Q + 1168*K*Q + 1192*K + N*P*Q + 2*N*P + 2*N*Q + 4*N + P*Q +
;   2*P + 298*Q + 570560 < 2**63 (checked at entry)
;   decided without a solver, from the structure alone
