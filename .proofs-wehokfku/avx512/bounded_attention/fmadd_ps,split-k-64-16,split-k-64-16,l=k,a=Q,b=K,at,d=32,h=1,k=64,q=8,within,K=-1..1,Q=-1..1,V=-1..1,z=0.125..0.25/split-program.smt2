(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_attention/fmadd_ps,split-k-64-16,split-k-64-16,l=k,a=Q,b=K,at,d=32,h=1,k=64,q=8,within,K=-1..1,Q=-1..1,V=-1..1,z=0.125..0.25
; claim: program
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; program of piece 1: it has the axes of the sum, others in the place of k
;   decided without a solver, from the structure alone

; program of piece 1: it adds what the sum adds at that point, to the same output
;   decided without a solver, from the structure alone

; program of piece 1: it adds what the sum adds at that point, to the same output
; question 1
(push 1)
(set-info :status unsat)
(declare-fun D () Int)
(declare-fun H () Int)
(declare-fun Q () Int)
(assert (! (<= 1 D) :named |1: 1 <= D|))
(assert (! (<= 1 H) :named |2: 1 <= H|))
(assert (! (<= 1 Q) :named |3: 1 <= Q|))
(assert (! (not true) :named |denied: true|))
(check-sat)
(pop 1)

; program of piece 1: it has the axes of the sum, others in the place of k
;   decided without a solver, from the structure alone

; program of piece 1: it adds what the sum adds at that point, to the same output
;   decided without a solver, from the structure alone

; program of piece 1: it adds what the sum adds at that point, to the same output
; question 2
(push 1)
(set-info :status unsat)
(declare-fun D () Int)
(declare-fun H () Int)
(declare-fun Q () Int)
(assert (! (<= 1 D) :named |1: 1 <= D|))
(assert (! (<= 1 H) :named |2: 1 <= H|))
(assert (! (<= 1 Q) :named |3: 1 <= Q|))
(assert (! (not true) :named |denied: true|))
(check-sat)
(pop 1)
