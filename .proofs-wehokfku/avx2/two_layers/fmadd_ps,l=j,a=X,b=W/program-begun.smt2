(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx2/two_layers/fmadd_ps,l=j,a=X,b=W
; claim: begun
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; begun of H: every element H[i,j] that statement 2 reads was begun before
;   decided without a solver, from the structure alone

; begun of H: every element H[i,j] that statement 3 reads was begun before
;   decided without a solver, from the structure alone

; begun of Y: every element Y[i,m] that statement 4 reads was begun before
;   decided without a solver, from the structure alone

; begun of Y: every element of the result Y is begun
;   decided without a solver, from the structure alone
