(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512_vnni/depthwise_conv2d/dpbusd,l=c,e=r,a=I,b=W,at,R=3,S=3,dp=1,dq=1,pp=1,pq=1,sp=1,sq=1
; claim: begun
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; begun of O: every element of the result O is begun
; question 1
(push 1)
(set-info :status unsat)
(declare-fun C () Int)
(declare-fun N () Int)
(declare-fun P () Int)
(declare-fun Q () Int)
(declare-fun O.0 () Int)
(declare-fun O.1 () Int)
(declare-fun O.2 () Int)
(declare-fun O.3 () Int)
(assert (! (<= 1 C) :named |1: 1 <= C|))
(assert (! (<= 1 N) :named |2: 1 <= N|))
(assert (! (<= 1 P) :named |3: 1 <= P|))
(assert (! (<= 1 Q) :named |4: 1 <= Q|))
(assert (! (<= 0 O.0) :named |5: 0 <= O.0|))
(assert (! (< O.0 N) :named |6: O.0 < N|))
(assert (! (<= 0 O.1) :named |7: 0 <= O.1|))
(assert (! (< O.1 P) :named |8: O.1 < P|))
(assert (! (<= 0 O.2) :named |9: 0 <= O.2|))
(assert (! (< O.2 Q) :named |10: O.2 < Q|))
(assert (! (<= 0 O.3) :named |11: 0 <= O.3|))
(assert (! (< O.3 C) :named |12: O.3 < C|))
(assert (! (not (or (and (<= 0 O.0) (< O.0 N) (<= 0 O.1) (< O.1 P) (<= 0 O.2) (< O.2 Q) (<= 0 O.3) (< O.3 C) (<= 0 0) (< 0 3) (<= 0 0) (< 0 3) (<= 0 (+ (- 1) O.1)) (< (+ (- 1) O.1) P) (<= 0 (+ (- 1) O.2)) (< (+ (- 1) O.2) Q) (= O.0 O.0) (= O.1 O.1) (= O.2 O.2) (= O.3 O.3)) (and (<= 0 O.0) (< O.0 N) (<= 0 O.1) (< O.1 P) (<= 0 O.2) (< O.2 Q) (<= 0 O.3) (< O.3 C) (<= 0 1) (< 1 3) (<= 0 1) (< 1 3) (<= 0 O.1) (< O.1 P) (<= 0 O.2) (< O.2 Q) (= O.0 O.0) (= O.1 O.1) (= O.2 O.2) (= O.3 O.3)) (and (<= 0 O.0) (< O.0 N) (<= 0 O.1) (< O.1 P) (<= 0 O.2) (< O.2 Q) (<= 0 O.3) (< O.3 C) (<= 0 2) (< 2 3) (<= 0 2) (< 2 3) (<= 0 (+ 1 O.1)) (< (+ 1 O.1) P) (<= 0 (+ 1 O.2)) (< (+ 1 O.2) Q) (= O.0 O.0) (= O.1 O.1) (= O.2 O.2) (= O.3 O.3)) (and (<= 0 O.0) (< O.0 N) (<= 0 O.1) (< O.1 P) (<= 0 O.2) (< O.2 Q) (<= 0 O.3) (< O.3 C) (<= 0 3) (< 3 3) (<= 0 3) (< 3 3) (<= 0 (+ 2 O.1)) (< (+ 2 O.1) P) (<= 0 (+ 2 O.2)) (< (+ 2 O.2) Q) (= O.0 O.0) (= O.1 O.1) (= O.2 O.2) (= O.3 O.3)))) :named |denied: 0 <= O.0 and O.0 < N and 0 <= O.1 and O.1 < P and 0 <= O.2 and O.2 < Q and 0 <= O.3 and O.3 <...|))
(check-sat)
(pop 1)
