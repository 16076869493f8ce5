(set-info :smt-lib-version 2.6)
(set-logic ALL)
; scalar/lstm/muladd_f32,point,a=X,b=W
; claim: progress
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; progress: outputs are not touched ahead of the call
;   decided without a solver, from the structure alone

; progress of acc: acc is loaded, then added to, then stored, each visit inside j0, c0, t0, b0, g0, t1, b1, j1
;   decided without a solver, from the structure alone

; progress of acc: nothing else touches P while acc stands for it
;   decided without a solver, from the structure alone

; progress of acc: every live cell of acc inside j0, c0, t0, b0, g0, t1, b1, j1 is loaded before it is added to
; question 1
(push 1)
(set-info :status unsat)
(declare-fun B () Int)
(declare-fun C () Int)
(declare-fun J () Int)
(declare-fun T () Int)
(declare-fun b0 () Int)
(declare-fun |q!(B + 23)//(24)| () Int)
(declare-fun b1 () Int)
(declare-fun |q!(IMin(24, B - 24*b0) + 5)//(6)| () Int)
(declare-fun c_b_u () Int)
(declare-fun c_g_u () Int)
(declare-fun |r!(B + 23)%(24)| () Int)
(declare-fun |r!(IMin(24, B - 24*b0) + 5)%(6)| () Int)
(assert (! (<= 1 B) :named |1: 1 <= B|))
(assert (! (<= 1 C) :named |2: 1 <= C|))
(assert (! (<= 1 J) :named |3: 1 <= J|))
(assert (! (<= 1 T) :named |4: 1 <= T|))
(assert (! (<= 0 b0) :named |5: 0 <= b0|))
(assert (! (< b0 |q!(B + 23)//(24)|) :named |6: b0 < q!(B + 23)//(24)|))
(assert (! (<= 0 b1) :named |7: 0 <= b1|))
(assert (! (< b1 |q!(IMin(24, B - 24*b0) + 5)//(6)|) :named |8: b1 < q!(IMin(24, B - 24*b0) + 5)//(6)|))
(assert (! (<= 0 c_b_u) :named |9: 0 <= c_b_u|))
(assert (! (> 6 c_b_u) :named |10: 6 > c_b_u|))
(assert (! (<= 0 c_g_u) :named |11: 0 <= c_g_u|))
(assert (! (> 2 c_g_u) :named |12: 2 > c_g_u|))
(assert (! (< (+ c_b_u (* 6 b1) (* 24 b0)) B) :named |13: c_b_u + 6*b1 + 24*b0 < B|))
(assert (! (= (+ 23 B) (+ (* 24 |q!(B + 23)//(24)|) |r!(B + 23)%(24)|)) :named |14: 23 + B = 24*q!(B + 23)//(24) + r!(B + 23)%(24)|))
(assert (! (>= |r!(B + 23)%(24)| 0) :named |15: r!(B + 23)%(24) >= 0|))
(assert (! (> 24 |r!(B + 23)%(24)|) :named |16: 24 > r!(B + 23)%(24)|))
(assert (! (= (+ 5 (ite (<= 24 (+ B (* (- 24) b0))) 24 (+ B (* (- 24) b0)))) (+ (* 6 |q!(IMin(24, B - 24*b0) + 5)//(6)|) |r!(IMin(24, B - 24*b0) + 5)%(6)|)) :named |17: 5 + if(24 <= B - 24*b0, 24, B - 24*b0) = 6*q!(IMin(24, B - 24*b0) + 5)//(6) + r!(IMin(24, B -...|))
(assert (! (>= |r!(IMin(24, B - 24*b0) + 5)%(6)| 0) :named |18: r!(IMin(24, B - 24*b0) + 5)%(6) >= 0|))
(assert (! (> 6 |r!(IMin(24, B - 24*b0) + 5)%(6)|) :named |19: 6 > r!(IMin(24, B - 24*b0) + 5)%(6)|))
(assert (! (not (or (and (<= 0 c_b_u) (> 6 c_b_u) (<= 0 c_g_u) (> 2 c_g_u) (<= 0 (+ (- 6) B (* (- 24) b0) (* (- 6) b1))) (= c_b_u c_b_u) (= c_g_u c_g_u)) (and (<= 0 c_b_u) (> 6 c_b_u) (<= 0 c_g_u) (> 2 c_g_u) (> 0 (+ (- 6) B (* (- 24) b0) (* (- 6) b1))) (< (+ c_b_u (* 6 b1) (* 24 b0)) B) (= c_b_u c_b_u) (= c_g_u c_g_u)))) :named |denied: 0 <= c_b_u and 6 > c_b_u and 0 <= c_g_u and 2 > c_g_u and 0 <= -6 + B - 24*b0 - 6*b1 and c_b_...|))
(check-sat)
(pop 1)

; progress of acc: every live cell of acc inside j0, c0, t0, b0, g0, t1, b1, j1 is stored after it was added to
; question 2
(push 1)
(set-info :status unsat)
(declare-fun B () Int)
(declare-fun C () Int)
(declare-fun J () Int)
(declare-fun T () Int)
(declare-fun b0 () Int)
(declare-fun |q!(B + 23)//(24)| () Int)
(declare-fun b1 () Int)
(declare-fun |q!(IMin(24, B - 24*b0) + 5)//(6)| () Int)
(declare-fun c_b_u () Int)
(declare-fun c_g_u () Int)
(declare-fun |r!(B + 23)%(24)| () Int)
(declare-fun |r!(IMin(24, B - 24*b0) + 5)%(6)| () Int)
(assert (! (<= 1 B) :named |1: 1 <= B|))
(assert (! (<= 1 C) :named |2: 1 <= C|))
(assert (! (<= 1 J) :named |3: 1 <= J|))
(assert (! (<= 1 T) :named |4: 1 <= T|))
(assert (! (<= 0 b0) :named |5: 0 <= b0|))
(assert (! (< b0 |q!(B + 23)//(24)|) :named |6: b0 < q!(B + 23)//(24)|))
(assert (! (<= 0 b1) :named |7: 0 <= b1|))
(assert (! (< b1 |q!(IMin(24, B - 24*b0) + 5)//(6)|) :named |8: b1 < q!(IMin(24, B - 24*b0) + 5)//(6)|))
(assert (! (<= 0 c_b_u) :named |9: 0 <= c_b_u|))
(assert (! (> 6 c_b_u) :named |10: 6 > c_b_u|))
(assert (! (<= 0 c_g_u) :named |11: 0 <= c_g_u|))
(assert (! (> 2 c_g_u) :named |12: 2 > c_g_u|))
(assert (! (< (+ c_b_u (* 6 b1) (* 24 b0)) B) :named |13: c_b_u + 6*b1 + 24*b0 < B|))
(assert (! (= (+ 23 B) (+ (* 24 |q!(B + 23)//(24)|) |r!(B + 23)%(24)|)) :named |14: 23 + B = 24*q!(B + 23)//(24) + r!(B + 23)%(24)|))
(assert (! (>= |r!(B + 23)%(24)| 0) :named |15: r!(B + 23)%(24) >= 0|))
(assert (! (> 24 |r!(B + 23)%(24)|) :named |16: 24 > r!(B + 23)%(24)|))
(assert (! (= (+ 5 (ite (<= 24 (+ B (* (- 24) b0))) 24 (+ B (* (- 24) b0)))) (+ (* 6 |q!(IMin(24, B - 24*b0) + 5)//(6)|) |r!(IMin(24, B - 24*b0) + 5)%(6)|)) :named |17: 5 + if(24 <= B - 24*b0, 24, B - 24*b0) = 6*q!(IMin(24, B - 24*b0) + 5)//(6) + r!(IMin(24, B -...|))
(assert (! (>= |r!(IMin(24, B - 24*b0) + 5)%(6)| 0) :named |18: r!(IMin(24, B - 24*b0) + 5)%(6) >= 0|))
(assert (! (> 6 |r!(IMin(24, B - 24*b0) + 5)%(6)|) :named |19: 6 > r!(IMin(24, B - 24*b0) + 5)%(6)|))
(assert (! (not (or (and (<= 0 c_b_u) (> 6 c_b_u) (<= 0 c_g_u) (> 2 c_g_u) (<= 0 (+ (- 6) B (* (- 24) b0) (* (- 6) b1))) (= c_b_u c_b_u) (= c_g_u c_g_u)) (and (<= 0 c_b_u) (> 6 c_b_u) (<= 0 c_g_u) (> 2 c_g_u) (> 0 (+ (- 6) B (* (- 24) b0) (* (- 6) b1))) (< (+ c_b_u (* 6 b1) (* 24 b0)) B) (= c_b_u c_b_u) (= c_g_u c_g_u)))) :named |denied: 0 <= c_b_u and 6 > c_b_u and 0 <= c_g_u and 2 > c_g_u and 0 <= -6 + B - 24*b0 - 6*b1 and c_b_...|))
(check-sat)
(pop 1)
