(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/depthwise_separable_conv2d/fmadd_ps,l=c,a=I,b=D,at,R=3,S=3,dp=1,dq=1,pp=1,pq=1,sp=1,sq=1
; claim: begun
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; begun of T: every element T[n,p,q,c] that statement 2 reads was begun before
; question 1
(push 1)
(set-info :status unsat)
(declare-fun C () Int)
(declare-fun K () Int)
(declare-fun N () Int)
(declare-fun P () Int)
(declare-fun Q () Int)
(declare-fun n () Int)
(declare-fun p () Int)
(declare-fun q () Int)
(declare-fun c () Int)
(assert (! (<= 1 C) :named |1: 1 <= C|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 1 N) :named |3: 1 <= N|))
(assert (! (<= 1 P) :named |4: 1 <= P|))
(assert (! (<= 1 Q) :named |5: 1 <= Q|))
(assert (! (<= 0 n) :named |6: 0 <= n|))
(assert (! (< n N) :named |7: n < N|))
(assert (! (<= 0 p) :named |8: 0 <= p|))
(assert (! (< p P) :named |9: p < P|))
(assert (! (<= 0 q) :named |10: 0 <= q|))
(assert (! (< q Q) :named |11: q < Q|))
(assert (! (<= 0 c) :named |12: 0 <= c|))
(assert (! (< c C) :named |13: c < C|))
(assert (! (<= 0 n) :named |14: 0 <= n|))
(assert (! (< n N) :named |15: n < N|))
(assert (! (<= 0 p) :named |16: 0 <= p|))
(assert (! (< p P) :named |17: p < P|))
(assert (! (<= 0 q) :named |18: 0 <= q|))
(assert (! (< q Q) :named |19: q < Q|))
(assert (! (<= 0 c) :named |20: 0 <= c|))
(assert (! (< c C) :named |21: c < C|))
(assert (! (not (or (and (<= 0 n) (< n N) (<= 0 p) (< p P) (<= 0 q) (< q Q) (<= 0 c) (< c C) (<= 0 0) (< 0 3) (<= 0 0) (< 0 3) (<= 0 (+ (- 1) p)) (< (+ (- 1) p) P) (<= 0 (+ (- 1) q)) (< (+ (- 1) q) Q) (= n n) (= p p) (= q q) (= c c)) (and (<= 0 n) (< n N) (<= 0 p) (< p P) (<= 0 q) (< q Q) (<= 0 c) (< c C) (<= 0 1) (< 1 3) (<= 0 1) (< 1 3) (<= 0 p) (< p P) (<= 0 q) (< q Q) (= n n) (= p p) (= q q) (= c c)) (and (<= 0 n) (< n N) (<= 0 p) (< p P) (<= 0 q) (< q Q) (<= 0 c) (< c C) (<= 0 2) (< 2 3) (<= 0 2) (< 2 3) (<= 0 (+ 1 p)) (< (+ 1 p) P) (<= 0 (+ 1 q)) (< (+ 1 q) Q) (= n n) (= p p) (= q q) (= c c)) (and (<= 0 n) (< n N) (<= 0 p) (< p P) (<= 0 q) (< q Q) (<= 0 c) (< c C) (<= 0 3) (< 3 3) (<= 0 3) (< 3 3) (<= 0 (+ 2 p)) (< (+ 2 p) P) (<= 0 (+ 2 q)) (< (+ 2 q) Q) (= n n) (= p p) (= q q) (= c c)))) :named |denied: 0 <= n and n < N and 0 <= p and p < P and 0 <= q and q < Q and 0 <= c and c < C and 0 <= 0 an...|))
(check-sat)
(pop 1)

; begun of O: every element of the result O is begun
;   decided without a solver, from the structure alone
