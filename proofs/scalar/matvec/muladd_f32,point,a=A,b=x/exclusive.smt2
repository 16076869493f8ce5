(set-info :smt-lib-version 2.6)
(set-logic ALL)
; scalar/matvec/muladd_f32,point,a=A,b=x
; claim: exclusive
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; exclusive of c: distinct output cells hold distinct elements
; question 1: exclusive
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun K () Int)
(declare-fun i_out () Int)
(declare-fun k_out () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 i_out) :named |3: 0 <= i_out|))
(assert (! (< i_out I) :named |4: i_out < I|))
(assert (! (<= 0 k_out) :named |5: 0 <= k_out|))
(assert (! (< k_out K) :named |6: k_out < K|))
(assert (! (<= 1 I) :named |7: 1 <= I|))
(assert (! (<= 1 K) :named |8: 1 <= K|))
(assert (! (<= 0 i_out) :named |9: 0 <= i_out|))
(assert (! (< i_out I) :named |10: i_out < I|))
(assert (! (<= 0 k_out) :named |11: 0 <= k_out|))
(assert (! (< k_out K) :named |12: k_out < K|))
(assert (! (= i_out i_out) :named |13: i_out = i_out|))
(assert (! (not true) :named |denied: true|))
(check-sat)
(pop 1)
