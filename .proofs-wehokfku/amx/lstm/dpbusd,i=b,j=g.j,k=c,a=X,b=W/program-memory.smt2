(set-info :smt-lib-version 2.6)
(set-logic ALL)
; amx/lstm/dpbusd,i=b,j=g.j,k=c,a=X,b=W
; claim: memory
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; memory of W_packed: the buffer's shape depends on sizes only
;   decided without a solver, from the structure alone

; memory of X_packed: the buffer's shape depends on sizes only
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

; memory of t_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of t_ul: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of t_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of t_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory: every index, counter and byte offset fits 64 bits while B*C*T + 44*B*C + 16*B*J*T + 704*B*J + 4*B*T + 176*B +
;   4*C*J + 48*C + 16*J**2 + 13232*J + 2*T + 277364 < 2**63 (checked at entry)
;   decided without a solver, from the structure alone
