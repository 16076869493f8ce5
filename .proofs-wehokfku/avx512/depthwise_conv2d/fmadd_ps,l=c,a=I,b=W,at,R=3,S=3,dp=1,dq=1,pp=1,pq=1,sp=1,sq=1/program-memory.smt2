(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/depthwise_conv2d/fmadd_ps,l=c,a=I,b=W,at,R=3,S=3,dp=1,dq=1,pp=1,pq=1,sp=1,sq=1
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

; memory of q_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of q_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of q_ua: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of q_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory: every index, counter and byte offset fits 64 bits while 4*C*N*P*Q + 8*C*N*P + 8*C*N*Q + 16*C*N + 24*C*P*Q +
;   48*C*P + 1632*C*Q + 3616*C + N*P*Q + 2*N*P + 2*N*Q + 4*N + 6*P*Q + 12*P + 408*Q + 3256 < 2**63 (checked at entry)
;   decided without a solver, from the structure alone
