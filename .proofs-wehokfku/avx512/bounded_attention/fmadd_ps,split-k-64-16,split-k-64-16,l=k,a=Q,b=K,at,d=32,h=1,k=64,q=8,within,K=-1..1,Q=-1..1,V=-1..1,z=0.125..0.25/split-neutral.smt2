(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_attention/fmadd_ps,split-k-64-16,split-k-64-16,l=k,a=Q,b=K,at,d=32,h=1,k=64,q=8,within,K=-1..1,Q=-1..1,V=-1..1,z=0.125..0.25
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
