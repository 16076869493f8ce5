(set-info :smt-lib-version 2.6)
(set-logic ALL)
; scalar/matvec/muladd_f32,point,a=A,b=x
; claim: agreement
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; agreement of c: one cell holds one element during one execution
; question 1: agreement: layout
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
(assert (! (not (= i_out i_out)) :named |denied: i_out = i_out|))
(check-sat)
(pop 1)

; agreement of a: one cell holds one element during one execution
; question 2: agreement: layout
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
(assert (! (not (and (= i_out i_out) (= k_out k_out))) :named |denied: i_out = i_out and k_out = k_out|))
(check-sat)
(pop 1)

; agreement of b: one cell holds one element during one execution
; question 3: agreement: layout
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
(assert (! (not (= k_out k_out)) :named |denied: k_out = k_out|))
(check-sat)
(pop 1)
