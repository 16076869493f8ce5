(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_attention/selected,split-k-64-16,split-k-64-16,statement-4,l=k,x0=S,x1=M,x2=z
; claim: neutral
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; neutral of M_sums: M_sums is a temporary that one piece adds to before one statement reads it
;   decided without a solver, from the structure alone

; neutral of type: M_sums has the element type of M
;   decided without a solver, from the structure alone

; neutral of D_sums: D_sums is a temporary that one piece adds to before one statement reads it
;   decided without a solver, from the structure alone

; neutral of type: D_sums has the element type of D
;   decided without a solver, from the structure alone
