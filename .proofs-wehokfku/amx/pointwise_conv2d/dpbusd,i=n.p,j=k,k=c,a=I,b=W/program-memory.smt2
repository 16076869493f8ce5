(set-info :smt-lib-version 2.6)
(set-logic ALL)
; amx/pointwise_conv2d/dpbusd,i=n.p,j=k,k=c,a=I,b=W
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

; memory of n_p_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of n_p_ul: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of n_p_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of n_p_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory: every index, counter and byte offset fits 64 bits while C*K + C*N*P**2*Q + C*N*P*Q + 49456*C*P*Q + C*Q + 2*C
;   + 4*K*N*P**2*Q + 4*K*N*P*Q + 197824*K*P*Q + 4*K*Q + 579*K + N*P**2*Q + N*P**2 + 2*N*P + N + 49456*P*Q + 49456*P + Q
;   + 49455 < 2**63 (checked at entry)
;   decided without a solver, from the structure alone
