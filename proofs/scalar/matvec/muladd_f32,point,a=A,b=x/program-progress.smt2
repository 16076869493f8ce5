(set-info :smt-lib-version 2.6)
(set-logic ALL)
; scalar/matvec/muladd_f32,point,a=A,b=x
; claim: progress
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; progress: outputs are not touched ahead of the call
;   decided without a solver, from the structure alone

; progress of acc: acc is loaded, then added to, then stored, each visit inside i0, k0, i1
;   decided without a solver, from the structure alone

; progress of acc: nothing else touches y while acc stands for it
;   decided without a solver, from the structure alone

; progress of acc: every live cell of acc inside i0, k0, i1 is loaded before it is added to
; question 1
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun K () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 1028)//(1029)| () Int)
(declare-fun i1 () Int)
(declare-fun |q!(IMin(1029, I - 1029*i0) + 6)//(7)| () Int)
(declare-fun c_i_u () Int)
(declare-fun |r!(I + 1028)%(1029)| () Int)
(declare-fun |r!(IMin(1029, I - 1029*i0) + 6)%(7)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 i0) :named |3: 0 <= i0|))
(assert (! (< i0 |q!(I + 1028)//(1029)|) :named |4: i0 < q!(I + 1028)//(1029)|))
(assert (! (<= 0 i1) :named |5: 0 <= i1|))
(assert (! (< i1 |q!(IMin(1029, I - 1029*i0) + 6)//(7)|) :named |6: i1 < q!(IMin(1029, I - 1029*i0) + 6)//(7)|))
(assert (! (<= 0 c_i_u) :named |7: 0 <= c_i_u|))
(assert (! (> 7 c_i_u) :named |8: 7 > c_i_u|))
(assert (! (< (+ c_i_u (* 7 i1) (* 1029 i0)) I) :named |9: c_i_u + 7*i1 + 1029*i0 < I|))
(assert (! (= (+ 1028 I) (+ (* 1029 |q!(I + 1028)//(1029)|) |r!(I + 1028)%(1029)|)) :named |10: 1028 + I = 1029*q!(I + 1028)//(1029) + r!(I + 1028)%(1029)|))
(assert (! (>= |r!(I + 1028)%(1029)| 0) :named |11: r!(I + 1028)%(1029) >= 0|))
(assert (! (> 1029 |r!(I + 1028)%(1029)|) :named |12: 1029 > r!(I + 1028)%(1029)|))
(assert (! (= (+ 6 (ite (<= 1029 (+ I (* (- 1029) i0))) 1029 (+ I (* (- 1029) i0)))) (+ (* 7 |q!(IMin(1029, I - 1029*i0) + 6)//(7)|) |r!(IMin(1029, I - 1029*i0) + 6)%(7)|)) :named |13: 6 + if(1029 <= I - 1029*i0, 1029, I - 1029*i0) = 7*q!(IMin(1029, I - 1029*i0) + 6)//(7) + r!(...|))
(assert (! (>= |r!(IMin(1029, I - 1029*i0) + 6)%(7)| 0) :named |14: r!(IMin(1029, I - 1029*i0) + 6)%(7) >= 0|))
(assert (! (> 7 |r!(IMin(1029, I - 1029*i0) + 6)%(7)|) :named |15: 7 > r!(IMin(1029, I - 1029*i0) + 6)%(7)|))
(assert (! (not (or (and (<= 0 c_i_u) (> 7 c_i_u) (<= 0 (+ (- 7) I (* (- 1029) i0) (* (- 7) i1))) (= c_i_u c_i_u)) (and (<= 0 c_i_u) (> 7 c_i_u) (> 0 (+ (- 7) I (* (- 1029) i0) (* (- 7) i1))) (< (+ c_i_u (* 7 i1) (* 1029 i0)) I) (= c_i_u c_i_u)))) :named |denied: 0 <= c_i_u and 7 > c_i_u and 0 <= -7 + I - 1029*i0 - 7*i1 and c_i_u = c_i_u or 0 <= c_i_u and...|))
(check-sat)
(pop 1)

; progress of acc: every live cell of acc inside i0, k0, i1 is stored after it was added to
; question 2
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun K () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 1028)//(1029)| () Int)
(declare-fun i1 () Int)
(declare-fun |q!(IMin(1029, I - 1029*i0) + 6)//(7)| () Int)
(declare-fun c_i_u () Int)
(declare-fun |r!(I + 1028)%(1029)| () Int)
(declare-fun |r!(IMin(1029, I - 1029*i0) + 6)%(7)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 i0) :named |3: 0 <= i0|))
(assert (! (< i0 |q!(I + 1028)//(1029)|) :named |4: i0 < q!(I + 1028)//(1029)|))
(assert (! (<= 0 i1) :named |5: 0 <= i1|))
(assert (! (< i1 |q!(IMin(1029, I - 1029*i0) + 6)//(7)|) :named |6: i1 < q!(IMin(1029, I - 1029*i0) + 6)//(7)|))
(assert (! (<= 0 c_i_u) :named |7: 0 <= c_i_u|))
(assert (! (> 7 c_i_u) :named |8: 7 > c_i_u|))
(assert (! (< (+ c_i_u (* 7 i1) (* 1029 i0)) I) :named |9: c_i_u + 7*i1 + 1029*i0 < I|))
(assert (! (= (+ 1028 I) (+ (* 1029 |q!(I + 1028)//(1029)|) |r!(I + 1028)%(1029)|)) :named |10: 1028 + I = 1029*q!(I + 1028)//(1029) + r!(I + 1028)%(1029)|))
(assert (! (>= |r!(I + 1028)%(1029)| 0) :named |11: r!(I + 1028)%(1029) >= 0|))
(assert (! (> 1029 |r!(I + 1028)%(1029)|) :named |12: 1029 > r!(I + 1028)%(1029)|))
(assert (! (= (+ 6 (ite (<= 1029 (+ I (* (- 1029) i0))) 1029 (+ I (* (- 1029) i0)))) (+ (* 7 |q!(IMin(1029, I - 1029*i0) + 6)//(7)|) |r!(IMin(1029, I - 1029*i0) + 6)%(7)|)) :named |13: 6 + if(1029 <= I - 1029*i0, 1029, I - 1029*i0) = 7*q!(IMin(1029, I - 1029*i0) + 6)//(7) + r!(...|))
(assert (! (>= |r!(IMin(1029, I - 1029*i0) + 6)%(7)| 0) :named |14: r!(IMin(1029, I - 1029*i0) + 6)%(7) >= 0|))
(assert (! (> 7 |r!(IMin(1029, I - 1029*i0) + 6)%(7)|) :named |15: 7 > r!(IMin(1029, I - 1029*i0) + 6)%(7)|))
(assert (! (not (or (and (<= 0 c_i_u) (> 7 c_i_u) (<= 0 (+ (- 7) I (* (- 1029) i0) (* (- 7) i1))) (= c_i_u c_i_u)) (and (<= 0 c_i_u) (> 7 c_i_u) (> 0 (+ (- 7) I (* (- 1029) i0) (* (- 7) i1))) (< (+ c_i_u (* 7 i1) (* 1029 i0)) I) (= c_i_u c_i_u)))) :named |denied: 0 <= c_i_u and 7 > c_i_u and 0 <= -7 + I - 1029*i0 - 7*i1 and c_i_u = c_i_u or 0 <= c_i_u and...|))
(check-sat)
(pop 1)
