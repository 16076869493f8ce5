(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx2/matvec/fmadd_ps,l=i,a=A,b=x
; claim: begun
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; begun of y: every element of the result y is begun
;   decided without a solver, from the structure alone
