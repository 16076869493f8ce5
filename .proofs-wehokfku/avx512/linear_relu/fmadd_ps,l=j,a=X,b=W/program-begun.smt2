(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/linear_relu/fmadd_ps,l=j,a=X,b=W
; claim: begun
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; begun of Y: every element of the result Y is begun
;   decided without a solver, from the structure alone

; begun of T: every element T[i,j] that statement 2 reads was begun before
;   decided without a solver, from the structure alone
