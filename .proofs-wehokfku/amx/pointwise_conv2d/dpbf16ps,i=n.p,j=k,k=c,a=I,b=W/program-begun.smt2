(set-info :smt-lib-version 2.6)
(set-logic ALL)
; amx/pointwise_conv2d/dpbf16ps,i=n.p,j=k,k=c,a=I,b=W
; claim: begun
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; begun of O: every element of the result O is begun
;   decided without a solver, from the structure alone
