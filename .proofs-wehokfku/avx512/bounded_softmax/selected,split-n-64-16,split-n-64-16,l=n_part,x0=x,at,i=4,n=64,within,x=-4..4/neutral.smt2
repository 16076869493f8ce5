(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_softmax/selected,split-n-64-16,split-n-64-16,l=n_part,x0=x,at,i=4,n=64,within,x=-4..4
; claim: neutral
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; neutral: points outside the guard change no live result
;   decided without a solver, from the structure alone
