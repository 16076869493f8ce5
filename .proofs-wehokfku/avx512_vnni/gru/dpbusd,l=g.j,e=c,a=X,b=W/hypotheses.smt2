(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512_vnni/gru/dpbusd,l=g.j,e=c,a=X,b=W
; claim: hypotheses
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; hypotheses of divisors: some sizes satisfy every hypothesis, and divisors are positive
; hypotheses of sizes: some sizes satisfy every hypothesis, and divisors are positive
; question 1: positive
(push 1)
(set-info :status unsat)
(declare-fun B+ () Int)
(declare-fun C+ () Int)
(declare-fun J+ () Int)
(declare-fun T+ () Int)
(assert (! (<= 1 (+ 1 B+)) :named |1: 1 <= 1 + B+|))
(assert (! (<= 1 (+ 1 C+)) :named |2: 1 <= 1 + C+|))
(assert (! (<= 1 (+ 1 J+)) :named |3: 1 <= 1 + J+|))
(assert (! (<= 1 (+ 1 T+)) :named |4: 1 <= 1 + T+|))
(assert (! (<= 0 B+) :named |5: 0 <= B+|))
(assert (! (<= 0 C+) :named |6: 0 <= C+|))
(assert (! (<= 0 J+) :named |7: 0 <= J+|))
(assert (! (<= 0 T+) :named |8: 0 <= T+|))
(assert (! (not (<= 1 (+ 1 J+))) :named |denied: 1 <= 1 + J+|))
(check-sat)
(pop 1)
