(set-info :smt-lib-version 2.6)
(set-logic ALL)
; amx/gru/dpbf16ps,i=b,j=g.j,k=c,a=X,b=W
; claim: scalar
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; scalar of operands: element types and operator fit
; scalar of value: the kernel's value is the contract's
; scalar of instruction: the instruction computes its contract
;   decided without a solver, from the structure alone
