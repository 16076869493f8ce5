(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_softmax/selected,split-n-64-16,split-n-64-16,statement-6,l=i,x0=total
; claim: bounds
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; bounds of to: every element of share accessed exists
; question 1: bounds
(push 1)
(set-info :status unsat)
(declare-fun i () Int)
(declare-fun i.rest () Int)
(declare-fun I+ () Int)
(assert (! (<= 1 (+ 1 i i.rest)) :named |1: 1 <= 1 + i + i.rest|))
(assert (! (<= 0 i) :named |2: 0 <= i|))
(assert (! (< i (+ 1 i i.rest)) :named |3: i < 1 + i + i.rest|))
(assert (! (<= 0 I+) :named |4: 0 <= I+|))
(assert (! (<= 0 i) :named |5: 0 <= i|))
(assert (! (<= 0 i.rest) :named |6: 0 <= i.rest|))
(assert (! (not (and (<= 0 i) (< i (+ 1 i i.rest)))) :named |denied: 0 <= i and i < 1 + i + i.rest|))
(check-sat)
(pop 1)

; bounds of x0: every element of total accessed exists
; question 2: bounds
(push 1)
(set-info :status unsat)
(declare-fun i () Int)
(declare-fun i.rest () Int)
(declare-fun I+ () Int)
(assert (! (<= 1 (+ 1 i i.rest)) :named |1: 1 <= 1 + i + i.rest|))
(assert (! (<= 0 i) :named |2: 0 <= i|))
(assert (! (< i (+ 1 i i.rest)) :named |3: i < 1 + i + i.rest|))
(assert (! (<= 0 I+) :named |4: 0 <= I+|))
(assert (! (<= 0 i) :named |5: 0 <= i|))
(assert (! (<= 0 i.rest) :named |6: 0 <= i.rest|))
(assert (! (not (and (<= 0 i) (< i (+ 1 i i.rest)))) :named |denied: 0 <= i and i < 1 + i + i.rest|))
(check-sat)
(pop 1)
