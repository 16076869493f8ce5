(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512_bf16/matvec/dpbf16_ps,l=i,e=k,a=A,b=x
; claim: progress
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; progress: outputs are not touched ahead of the call
;   decided without a solver, from the structure alone

; progress of acc: acc is loaded, then added to, then stored, each visit inside k0, i0, i1
;   decided without a solver, from the structure alone

; progress of acc: nothing else touches y while acc stands for it
;   decided without a solver, from the structure alone

; progress of acc: every live cell of acc inside k0, i0, i1 is loaded before it is added to
; question 1
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun K () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 511)//(512)| () Int)
(declare-fun i1 () Int)
(declare-fun |q!(IMin(512, I - 512*i0) + 255)//(256)| () Int)
(declare-fun c_i_u () Int)
(declare-fun c_l () Int)
(declare-fun |r!(I + 511)%(512)| () Int)
(declare-fun |r!(IMin(512, I - 512*i0) + 255)%(256)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 i0) :named |3: 0 <= i0|))
(assert (! (< i0 |q!(I + 511)//(512)|) :named |4: i0 < q!(I + 511)//(512)|))
(assert (! (<= 0 i1) :named |5: 0 <= i1|))
(assert (! (< i1 |q!(IMin(512, I - 512*i0) + 255)//(256)|) :named |6: i1 < q!(IMin(512, I - 512*i0) + 255)//(256)|))
(assert (! (<= 0 c_i_u) :named |7: 0 <= c_i_u|))
(assert (! (> 16 c_i_u) :named |8: 16 > c_i_u|))
(assert (! (<= 0 c_l) :named |9: 0 <= c_l|))
(assert (! (> 16 c_l) :named |10: 16 > c_l|))
(assert (! (< (+ c_l (* 16 c_i_u) (* 256 i1) (* 512 i0)) I) :named |11: c_l + 16*c_i_u + 256*i1 + 512*i0 < I|))
(assert (! (= (+ 511 I) (+ (* 512 |q!(I + 511)//(512)|) |r!(I + 511)%(512)|)) :named |12: 511 + I = 512*q!(I + 511)//(512) + r!(I + 511)%(512)|))
(assert (! (>= |r!(I + 511)%(512)| 0) :named |13: r!(I + 511)%(512) >= 0|))
(assert (! (> 512 |r!(I + 511)%(512)|) :named |14: 512 > r!(I + 511)%(512)|))
(assert (! (= (+ 255 (ite (<= 512 (+ I (* (- 512) i0))) 512 (+ I (* (- 512) i0)))) (+ (* 256 |q!(IMin(512, I - 512*i0) + 255)//(256)|) |r!(IMin(512, I - 512*i0) + 255)%(256)|)) :named |15: 255 + if(512 <= I - 512*i0, 512, I - 512*i0) = 256*q!(IMin(512, I - 512*i0) + 255)//(256) + r...|))
(assert (! (>= |r!(IMin(512, I - 512*i0) + 255)%(256)| 0) :named |16: r!(IMin(512, I - 512*i0) + 255)%(256) >= 0|))
(assert (! (> 256 |r!(IMin(512, I - 512*i0) + 255)%(256)|) :named |17: 256 > r!(IMin(512, I - 512*i0) + 255)%(256)|))
(assert (! (not (or (and (<= 0 c_i_u) (> 16 c_i_u) (<= 0 c_l) (> 16 c_l) (<= 0 (+ (- 256) I (* (- 512) i0) (* (- 256) i1))) (= c_i_u c_i_u) (= c_l c_l)) (and (<= 0 c_i_u) (> 16 c_i_u) (<= 0 c_l) (> 16 c_l) (> 0 (+ (- 256) I (* (- 512) i0) (* (- 256) i1))) (< c_l (+ I (* (- 512) i0) (* (- 256) i1) (* (- 16) c_i_u))) (= c_i_u c_i_u) (= c_l c_l)))) :named |denied: 0 <= c_i_u and 16 > c_i_u and 0 <= c_l and 16 > c_l and 0 <= -256 + I - 512*i0 - 256*i1 and c...|))
(check-sat)
(pop 1)

; progress of acc: every live cell of acc inside k0, i0, i1 is stored after it was added to
; question 2
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun K () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 511)//(512)| () Int)
(declare-fun i1 () Int)
(declare-fun |q!(IMin(512, I - 512*i0) + 255)//(256)| () Int)
(declare-fun c_i_u () Int)
(declare-fun c_l () Int)
(declare-fun |r!(I + 511)%(512)| () Int)
(declare-fun |r!(IMin(512, I - 512*i0) + 255)%(256)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 i0) :named |3: 0 <= i0|))
(assert (! (< i0 |q!(I + 511)//(512)|) :named |4: i0 < q!(I + 511)//(512)|))
(assert (! (<= 0 i1) :named |5: 0 <= i1|))
(assert (! (< i1 |q!(IMin(512, I - 512*i0) + 255)//(256)|) :named |6: i1 < q!(IMin(512, I - 512*i0) + 255)//(256)|))
(assert (! (<= 0 c_i_u) :named |7: 0 <= c_i_u|))
(assert (! (> 16 c_i_u) :named |8: 16 > c_i_u|))
(assert (! (<= 0 c_l) :named |9: 0 <= c_l|))
(assert (! (> 16 c_l) :named |10: 16 > c_l|))
(assert (! (< (+ c_l (* 16 c_i_u) (* 256 i1) (* 512 i0)) I) :named |11: c_l + 16*c_i_u + 256*i1 + 512*i0 < I|))
(assert (! (= (+ 511 I) (+ (* 512 |q!(I + 511)//(512)|) |r!(I + 511)%(512)|)) :named |12: 511 + I = 512*q!(I + 511)//(512) + r!(I + 511)%(512)|))
(assert (! (>= |r!(I + 511)%(512)| 0) :named |13: r!(I + 511)%(512) >= 0|))
(assert (! (> 512 |r!(I + 511)%(512)|) :named |14: 512 > r!(I + 511)%(512)|))
(assert (! (= (+ 255 (ite (<= 512 (+ I (* (- 512) i0))) 512 (+ I (* (- 512) i0)))) (+ (* 256 |q!(IMin(512, I - 512*i0) + 255)//(256)|) |r!(IMin(512, I - 512*i0) + 255)%(256)|)) :named |15: 255 + if(512 <= I - 512*i0, 512, I - 512*i0) = 256*q!(IMin(512, I - 512*i0) + 255)//(256) + r...|))
(assert (! (>= |r!(IMin(512, I - 512*i0) + 255)%(256)| 0) :named |16: r!(IMin(512, I - 512*i0) + 255)%(256) >= 0|))
(assert (! (> 256 |r!(IMin(512, I - 512*i0) + 255)%(256)|) :named |17: 256 > r!(IMin(512, I - 512*i0) + 255)%(256)|))
(assert (! (not (or (and (<= 0 c_i_u) (> 16 c_i_u) (<= 0 c_l) (> 16 c_l) (<= 0 (+ (- 256) I (* (- 512) i0) (* (- 256) i1))) (= c_i_u c_i_u) (= c_l c_l)) (and (<= 0 c_i_u) (> 16 c_i_u) (<= 0 c_l) (> 16 c_l) (> 0 (+ (- 256) I (* (- 512) i0) (* (- 256) i1))) (< c_l (+ I (* (- 512) i0) (* (- 256) i1) (* (- 16) c_i_u))) (= c_i_u c_i_u) (= c_l c_l)))) :named |denied: 0 <= c_i_u and 16 > c_i_u and 0 <= c_l and 16 > c_l and 0 <= -256 + I - 512*i0 - 256*i1 and c...|))
(check-sat)
(pop 1)
