(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_softmax/mul_ps,split-n-64-16,split-n-64-16,statement-7,l=n,a=e,b=share
; claim: neutral
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; neutral of top_sums: top_sums is a temporary that one piece adds to before one statement reads it
;   decided without a solver, from the structure alone

; neutral of type: top_sums has the element type of top
;   decided without a solver, from the structure alone

; neutral of total_sums: total_sums is a temporary that one piece adds to before one statement reads it
;   decided without a solver, from the structure alone

; neutral of type: total_sums has the element type of total
;   decided without a solver, from the structure alone
