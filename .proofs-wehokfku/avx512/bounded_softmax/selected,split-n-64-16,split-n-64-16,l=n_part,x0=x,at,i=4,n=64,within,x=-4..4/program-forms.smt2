(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_softmax/selected,split-n-64-16,split-n-64-16,l=n_part,x0=x,at,i=4,n=64,within,x=-4..4
; claim: forms
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; forms of top by max_of_16xf32: the machine has its steps
;   decided without a solver, from the structure alone

; forms of top by max_of_16xf32: its elements lie side by side, in their order
;   decided without a solver, from the structure alone

; forms of top by max_of_16xf32: its steps compute the value of the statement, operation by operation
;   decided without a solver, from the structure alone

; forms of total by sum_of_16xf32: the machine has its steps
;   decided without a solver, from the structure alone

; forms of total by sum_of_16xf32: its elements lie side by side, in their order
;   decided without a solver, from the structure alone

; forms of total by sum_of_16xf32: its steps compute the value of the statement, operation by operation
;   decided without a solver, from the structure alone
