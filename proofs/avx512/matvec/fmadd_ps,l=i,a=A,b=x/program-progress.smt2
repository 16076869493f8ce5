(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/matvec/fmadd_ps,l=i,a=A,b=x
; claim: progress
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; progress: outputs are not touched ahead of the call
;   decided without a solver, from the structure alone

; progress of acc: acc is loaded, then added to, then stored, each visit inside i0, k0
;   decided without a solver, from the structure alone

; progress of acc: nothing else touches y while acc stands for it
;   decided without a solver, from the structure alone

; progress of acc: every live cell of acc inside i0, k0 is loaded before it is added to
; question 1
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun K () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 351)//(352)| () Int)
(declare-fun c_i_u () Int)
(declare-fun c_l () Int)
(declare-fun |r!(I + 351)%(352)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 i0) :named |3: 0 <= i0|))
(assert (! (< i0 |q!(I + 351)//(352)|) :named |4: i0 < q!(I + 351)//(352)|))
(assert (! (<= 0 c_i_u) :named |5: 0 <= c_i_u|))
(assert (! (> 22 c_i_u) :named |6: 22 > c_i_u|))
(assert (! (<= 0 c_l) :named |7: 0 <= c_l|))
(assert (! (> 16 c_l) :named |8: 16 > c_l|))
(assert (! (< (+ c_l (* 16 c_i_u) (* 352 i0)) I) :named |9: c_l + 16*c_i_u + 352*i0 < I|))
(assert (! (= (+ 351 I) (+ (* 352 |q!(I + 351)//(352)|) |r!(I + 351)%(352)|)) :named |10: 351 + I = 352*q!(I + 351)//(352) + r!(I + 351)%(352)|))
(assert (! (>= |r!(I + 351)%(352)| 0) :named |11: r!(I + 351)%(352) >= 0|))
(assert (! (> 352 |r!(I + 351)%(352)|) :named |12: 352 > r!(I + 351)%(352)|))
(assert (! (not (or (and (<= 0 c_i_u) (> 22 c_i_u) (<= 0 c_l) (> 16 c_l) (<= 0 (+ (- 352) I (* (- 352) i0))) (= c_i_u c_i_u) (= c_l c_l)) (and (<= 0 c_i_u) (> 22 c_i_u) (<= 0 c_l) (> 16 c_l) (> 0 (+ (- 352) I (* (- 352) i0))) (< c_l (+ I (* (- 352) i0) (* (- 16) c_i_u))) (= c_i_u c_i_u) (= c_l c_l)))) :named |denied: 0 <= c_i_u and 22 > c_i_u and 0 <= c_l and 16 > c_l and 0 <= -352 + I - 352*i0 and c_i_u = c_...|))
(check-sat)
(pop 1)

; progress of acc: every live cell of acc inside i0, k0 is stored after it was added to
; question 2
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun K () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 351)//(352)| () Int)
(declare-fun c_i_u () Int)
(declare-fun c_l () Int)
(declare-fun |r!(I + 351)%(352)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 i0) :named |3: 0 <= i0|))
(assert (! (< i0 |q!(I + 351)//(352)|) :named |4: i0 < q!(I + 351)//(352)|))
(assert (! (<= 0 c_i_u) :named |5: 0 <= c_i_u|))
(assert (! (> 22 c_i_u) :named |6: 22 > c_i_u|))
(assert (! (<= 0 c_l) :named |7: 0 <= c_l|))
(assert (! (> 16 c_l) :named |8: 16 > c_l|))
(assert (! (< (+ c_l (* 16 c_i_u) (* 352 i0)) I) :named |9: c_l + 16*c_i_u + 352*i0 < I|))
(assert (! (= (+ 351 I) (+ (* 352 |q!(I + 351)//(352)|) |r!(I + 351)%(352)|)) :named |10: 351 + I = 352*q!(I + 351)//(352) + r!(I + 351)%(352)|))
(assert (! (>= |r!(I + 351)%(352)| 0) :named |11: r!(I + 351)%(352) >= 0|))
(assert (! (> 352 |r!(I + 351)%(352)|) :named |12: 352 > r!(I + 351)%(352)|))
(assert (! (not (or (and (<= 0 c_i_u) (> 22 c_i_u) (<= 0 c_l) (> 16 c_l) (<= 0 (+ (- 352) I (* (- 352) i0))) (= c_i_u c_i_u) (= c_l c_l)) (and (<= 0 c_i_u) (> 22 c_i_u) (<= 0 c_l) (> 16 c_l) (> 0 (+ (- 352) I (* (- 352) i0))) (< c_l (+ I (* (- 352) i0) (* (- 16) c_i_u))) (= c_i_u c_i_u) (= c_l c_l)))) :named |denied: 0 <= c_i_u and 22 > c_i_u and 0 <= c_l and 16 > c_l and 0 <= -352 + I - 352*i0 and c_i_u = c_...|))
(check-sat)
(pop 1)
