(set-info :smt-lib-version 2.6)
(set-logic ALL)
; amx/two_layers/dpbf16ps,i=i,j=j,k=k,a=X,b=W
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

; memory of i_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_ul: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_ul: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_ub: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory: every index, counter and byte offset fits 64 bits while 4*I*J + 2*I*K + 4*I*M + 2*I + 2*J*K + 4*J*M + 6338*J
;   + 1758*K + 4*M + 2298948 < 2**63 (checked at entry)
;   decided without a solver, from the structure alone
