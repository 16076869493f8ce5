(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_attention/selected,split-k-64-16,split-k-64-16,statement-4,l=k,x0=S,x1=M,x2=z
; claim: coverage
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; coverage of M_sums: each of the 16 partial sums is added once
;   decided without a solver, from the structure alone

; coverage: every point of the sum is in a piece
; question 1
(push 1)
(set-info :status unsat)
(declare-fun D () Int)
(declare-fun H () Int)
(declare-fun Q () Int)
(declare-fun h () Int)
(declare-fun q () Int)
(declare-fun k () Int)
(declare-fun |q!(k)//(16)| () Int)
(declare-fun |r!(k)%(16)| () Int)
(assert (! (<= 1 D) :named |1: 1 <= D|))
(assert (! (<= 1 H) :named |2: 1 <= H|))
(assert (! (<= 1 Q) :named |3: 1 <= Q|))
(assert (! (<= 0 h) :named |4: 0 <= h|))
(assert (! (< h H) :named |5: h < H|))
(assert (! (<= 0 q) :named |6: 0 <= q|))
(assert (! (< q Q) :named |7: q < Q|))
(assert (! (<= 0 k) :named |8: 0 <= k|))
(assert (! (> 64 k) :named |9: 64 > k|))
(assert (! (= k (+ (* 16 |q!(k)//(16)|) |r!(k)%(16)|)) :named |10: k = 16*q!(k)//(16) + r!(k)%(16)|))
(assert (! (>= |r!(k)%(16)| 0) :named |11: r!(k)%(16) >= 0|))
(assert (! (> 16 |r!(k)%(16)|) :named |12: 16 > r!(k)%(16)|))
(assert (! (not (and (and (<= 0 h) (< h H) (<= 0 q) (< q Q) (<= 0 |r!(k)%(16)|) (> 16 |r!(k)%(16)|) (<= 0 |q!(k)//(16)|) (> 4 |q!(k)//(16)|)) (= h h) (= q q) (= k (+ (* 16 |q!(k)//(16)|) |r!(k)%(16)|)))) :named |denied: 0 <= h and h < H and 0 <= q and q < Q and 0 <= r!(k)%(16) and 16 > r!(k)%(16) and 0 <= q!(k)/...|))
(check-sat)
(pop 1)

; coverage of D_sums: each of the 16 partial sums is added once
;   decided without a solver, from the structure alone

; coverage: every point of the sum is in a piece
; question 2
(push 1)
(set-info :status unsat)
(declare-fun D () Int)
(declare-fun H () Int)
(declare-fun Q () Int)
(declare-fun h () Int)
(declare-fun q () Int)
(declare-fun k () Int)
(declare-fun |q!(k)//(16)| () Int)
(declare-fun |r!(k)%(16)| () Int)
(assert (! (<= 1 D) :named |1: 1 <= D|))
(assert (! (<= 1 H) :named |2: 1 <= H|))
(assert (! (<= 1 Q) :named |3: 1 <= Q|))
(assert (! (<= 0 h) :named |4: 0 <= h|))
(assert (! (< h H) :named |5: h < H|))
(assert (! (<= 0 q) :named |6: 0 <= q|))
(assert (! (< q Q) :named |7: q < Q|))
(assert (! (<= 0 k) :named |8: 0 <= k|))
(assert (! (> 64 k) :named |9: 64 > k|))
(assert (! (= k (+ (* 16 |q!(k)//(16)|) |r!(k)%(16)|)) :named |10: k = 16*q!(k)//(16) + r!(k)%(16)|))
(assert (! (>= |r!(k)%(16)| 0) :named |11: r!(k)%(16) >= 0|))
(assert (! (> 16 |r!(k)%(16)|) :named |12: 16 > r!(k)%(16)|))
(assert (! (not (and (and (<= 0 h) (< h H) (<= 0 q) (< q Q) (<= 0 |r!(k)%(16)|) (> 16 |r!(k)%(16)|) (<= 0 |q!(k)//(16)|) (> 4 |q!(k)//(16)|)) (= h h) (= q q) (= k (+ (* 16 |q!(k)//(16)|) |r!(k)%(16)|)))) :named |denied: 0 <= h and h < H and 0 <= q and q < Q and 0 <= r!(k)%(16) and 16 > r!(k)%(16) and 0 <= q!(k)/...|))
(check-sat)
(pop 1)
