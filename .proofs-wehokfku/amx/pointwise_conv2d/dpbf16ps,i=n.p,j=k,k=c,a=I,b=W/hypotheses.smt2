(set-info :smt-lib-version 2.6)
(set-logic ALL)
; amx/pointwise_conv2d/dpbf16ps,i=n.p,j=k,k=c,a=I,b=W
; claim: hypotheses
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; hypotheses of divisors: some sizes satisfy every hypothesis, and divisors are positive
; hypotheses of sizes: some sizes satisfy every hypothesis, and divisors are positive
; question 1: positive
(push 1)
(set-info :status unsat)
(declare-fun C+ () Int)
(declare-fun K+ () Int)
(declare-fun N+ () Int)
(declare-fun P+ () Int)
(declare-fun Q+ () Int)
(assert (! (<= 1 (+ 1 C+)) :named |1: 1 <= 1 + C+|))
(assert (! (<= 1 (+ 1 K+)) :named |2: 1 <= 1 + K+|))
(assert (! (<= 1 (+ 1 N+)) :named |3: 1 <= 1 + N+|))
(assert (! (<= 1 (+ 1 P+)) :named |4: 1 <= 1 + P+|))
(assert (! (<= 1 (+ 1 Q+)) :named |5: 1 <= 1 + Q+|))
(assert (! (<= 0 C+) :named |6: 0 <= C+|))
(assert (! (<= 0 K+) :named |7: 0 <= K+|))
(assert (! (<= 0 N+) :named |8: 0 <= N+|))
(assert (! (<= 0 P+) :named |9: 0 <= P+|))
(assert (! (<= 0 Q+) :named |10: 0 <= Q+|))
(assert (! (not (<= 1 (+ 1 P+))) :named |denied: 1 <= 1 + P+|))
(check-sat)
(pop 1)
