(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_softmax/selected,split-n-64-16,split-n-64-16,statement-6,l=i,x0=total
; claim: hypotheses
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; hypotheses of names: every name means one thing
;   decided without a solver, from the structure alone

; hypotheses of names: every name means one thing
;   decided without a solver, from the structure alone
