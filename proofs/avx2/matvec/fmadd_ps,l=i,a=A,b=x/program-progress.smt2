(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx2/matvec/fmadd_ps,l=i,a=A,b=x
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
(declare-fun |q!(I + 103)//(104)| () Int)
(declare-fun c_i_u () Int)
(declare-fun c_l () Int)
(declare-fun |r!(I + 103)%(104)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 i0) :named |3: 0 <= i0|))
(assert (! (< i0 |q!(I + 103)//(104)|) :named |4: i0 < q!(I + 103)//(104)|))
(assert (! (<= 0 c_i_u) :named |5: 0 <= c_i_u|))
(assert (! (> 13 c_i_u) :named |6: 13 > c_i_u|))
(assert (! (<= 0 c_l) :named |7: 0 <= c_l|))
(assert (! (> 8 c_l) :named |8: 8 > c_l|))
(assert (! (< (+ c_l (* 8 c_i_u) (* 104 i0)) I) :named |9: c_l + 8*c_i_u + 104*i0 < I|))
(assert (! (= (+ 103 I) (+ (* 104 |q!(I + 103)//(104)|) |r!(I + 103)%(104)|)) :named |10: 103 + I = 104*q!(I + 103)//(104) + r!(I + 103)%(104)|))
(assert (! (>= |r!(I + 103)%(104)| 0) :named |11: r!(I + 103)%(104) >= 0|))
(assert (! (> 104 |r!(I + 103)%(104)|) :named |12: 104 > r!(I + 103)%(104)|))
(assert (! (not (or (and (<= 0 c_i_u) (> 13 c_i_u) (<= 0 c_l) (> 8 c_l) (<= 0 (+ (- 104) I (* (- 104) i0))) (= c_i_u c_i_u) (= c_l c_l)) (and (<= 0 c_i_u) (> 13 c_i_u) (<= 0 c_l) (> 8 c_l) (> 0 (+ (- 104) I (* (- 104) i0))) (< c_l (+ I (* (- 104) i0) (* (- 8) c_i_u))) (= c_i_u c_i_u) (= c_l c_l)))) :named |denied: 0 <= c_i_u and 13 > c_i_u and 0 <= c_l and 8 > c_l and 0 <= -104 + I - 104*i0 and c_i_u = c_i...|))
(check-sat)
(pop 1)

; progress of acc: every live cell of acc inside i0, k0 is stored after it was added to
; question 2
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun K () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 103)//(104)| () Int)
(declare-fun c_i_u () Int)
(declare-fun c_l () Int)
(declare-fun |r!(I + 103)%(104)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 i0) :named |3: 0 <= i0|))
(assert (! (< i0 |q!(I + 103)//(104)|) :named |4: i0 < q!(I + 103)//(104)|))
(assert (! (<= 0 c_i_u) :named |5: 0 <= c_i_u|))
(assert (! (> 13 c_i_u) :named |6: 13 > c_i_u|))
(assert (! (<= 0 c_l) :named |7: 0 <= c_l|))
(assert (! (> 8 c_l) :named |8: 8 > c_l|))
(assert (! (< (+ c_l (* 8 c_i_u) (* 104 i0)) I) :named |9: c_l + 8*c_i_u + 104*i0 < I|))
(assert (! (= (+ 103 I) (+ (* 104 |q!(I + 103)//(104)|) |r!(I + 103)%(104)|)) :named |10: 103 + I = 104*q!(I + 103)//(104) + r!(I + 103)%(104)|))
(assert (! (>= |r!(I + 103)%(104)| 0) :named |11: r!(I + 103)%(104) >= 0|))
(assert (! (> 104 |r!(I + 103)%(104)|) :named |12: 104 > r!(I + 103)%(104)|))
(assert (! (not (or (and (<= 0 c_i_u) (> 13 c_i_u) (<= 0 c_l) (> 8 c_l) (<= 0 (+ (- 104) I (* (- 104) i0))) (= c_i_u c_i_u) (= c_l c_l)) (and (<= 0 c_i_u) (> 13 c_i_u) (<= 0 c_l) (> 8 c_l) (> 0 (+ (- 104) I (* (- 104) i0))) (< c_l (+ I (* (- 104) i0) (* (- 8) c_i_u))) (= c_i_u c_i_u) (= c_l c_l)))) :named |denied: 0 <= c_i_u and 13 > c_i_u and 0 <= c_l and 8 > c_l and 0 <= -104 + I - 104*i0 and c_i_u = c_i...|))
(check-sat)
(pop 1)
