(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_layer_norm/selected,split-n-64-16,split-n-64-16,l=n_part,x0=x,at,i=4,n=64,within,b=-1..1,g=0.5..2,x=-4..4
; claim: neutral
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; neutral of s_sums: s_sums is a temporary that one piece adds to before one statement reads it
;   decided without a solver, from the structure alone

; neutral of type: s_sums has the element type of s
;   decided without a solver, from the structure alone

; neutral of q_sums: q_sums is a temporary that one piece adds to before one statement reads it
;   decided without a solver, from the structure alone

; neutral of type: q_sums has the element type of q
;   decided without a solver, from the structure alone
