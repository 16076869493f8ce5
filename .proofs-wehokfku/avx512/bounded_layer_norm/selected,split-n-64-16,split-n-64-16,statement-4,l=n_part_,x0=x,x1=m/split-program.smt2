(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_layer_norm/selected,split-n-64-16,split-n-64-16,statement-4,l=n_part_,x0=x,x1=m
; claim: program
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; program of piece 1: it has the axes of the sum, others in the place of n
;   decided without a solver, from the structure alone

; program of piece 1: it adds what the sum adds at that point, to the same output
;   decided without a solver, from the structure alone

; program of piece 1: it adds what the sum adds at that point, to the same output
; question 1
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (not true) :named |denied: true|))
(check-sat)
(pop 1)

; program of piece 1: it has the axes of the sum, others in the place of n
;   decided without a solver, from the structure alone

; program of piece 1: it adds what the sum adds at that point, to the same output
;   decided without a solver, from the structure alone

; program of piece 1: it adds what the sum adds at that point, to the same output
; question 2
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (not true) :named |denied: true|))
(check-sat)
(pop 1)
