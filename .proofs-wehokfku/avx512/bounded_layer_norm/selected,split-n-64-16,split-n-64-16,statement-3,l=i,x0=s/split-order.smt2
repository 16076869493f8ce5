(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_layer_norm/selected,split-n-64-16,split-n-64-16,statement-3,l=i,x0=s
; claim: order
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; order: the sum may be regrouped
;   decided without a solver, from the structure alone

; order: the sum may be regrouped
;   decided without a solver, from the structure alone
