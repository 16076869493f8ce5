(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/lstm/fmadd_ps,l=g.j,a=X,b=W
; claim: neutral
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; neutral: points outside the guard change no live result
;   decided without a solver, from the structure alone
