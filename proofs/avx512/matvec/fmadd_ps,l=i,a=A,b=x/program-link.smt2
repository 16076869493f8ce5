(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/matvec/fmadd_ps,l=i,a=A,b=x
; claim: link
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; link of kernel: the program's kernel is the mapping's at the schedule's sizes
;   decided without a solver, from the structure alone

; link of scalar: the program computes the scalar that the mapping was proved for
;   decided without a solver, from the structure alone

; link of instruction: every execution is the mapping's instruction
;   decided without a solver, from the structure alone

; link: no two executions inside i0, k0, k1, i_u compute the same point
; question 1
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun K () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 351)//(352)| () Int)
(declare-fun k0 () Int)
(declare-fun |q!(K + 511)//(512)| () Int)
(declare-fun k1 () Int)
(declare-fun i_u () Int)
(declare-fun l () Int)
(declare-fun |i0'| () Int)
(declare-fun |k0'| () Int)
(declare-fun |k1'| () Int)
(declare-fun |i_u'| () Int)
(declare-fun |l'| () Int)
(declare-fun |r!(I + 351)%(352)| () Int)
(declare-fun |r!(K + 511)%(512)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 i0) :named |3: 0 <= i0|))
(assert (! (< i0 |q!(I + 351)//(352)|) :named |4: i0 < q!(I + 351)//(352)|))
(assert (! (<= 0 k0) :named |5: 0 <= k0|))
(assert (! (< k0 |q!(K + 511)//(512)|) :named |6: k0 < q!(K + 511)//(512)|))
(assert (! (<= 0 k1) :named |7: 0 <= k1|))
(assert (! (< k1 (ite (<= 512 (+ K (* (- 512) k0))) 512 (+ K (* (- 512) k0)))) :named |8: k1 < if(512 <= K - 512*k0, 512, K - 512*k0)|))
(assert (! (<= 0 i_u) :named |9: 0 <= i_u|))
(assert (! (> 22 i_u) :named |10: 22 > i_u|))
(assert (! (<= 0 l) :named |11: 0 <= l|))
(assert (! (> 16 l) :named |12: 16 > l|))
(assert (! (< (+ l (* 16 i_u) (* 352 i0)) I) :named |13: l + 16*i_u + 352*i0 < I|))
(assert (! (<= 0 (+ l (* 16 i_u) (* 352 i0))) :named |14: 0 <= l + 16*i_u + 352*i0|))
(assert (! (< (+ l (* 16 i_u) (* 352 i0)) I) :named |15: l + 16*i_u + 352*i0 < I|))
(assert (! (<= 0 (+ k1 (* 512 k0))) :named |16: 0 <= k1 + 512*k0|))
(assert (! (< (+ k1 (* 512 k0)) K) :named |17: k1 + 512*k0 < K|))
(assert (! (<= 0 |i0'|) :named |18: 0 <= i0'|))
(assert (! (< |i0'| |q!(I + 351)//(352)|) :named |19: i0' < q!(I + 351)//(352)|))
(assert (! (<= 0 |k0'|) :named |20: 0 <= k0'|))
(assert (! (< |k0'| |q!(K + 511)//(512)|) :named |21: k0' < q!(K + 511)//(512)|))
(assert (! (<= 0 |k1'|) :named |22: 0 <= k1'|))
(assert (! (< |k1'| (ite (<= 512 (+ K (* (- 512) |k0'|))) 512 (+ K (* (- 512) |k0'|)))) :named |23: k1' < if(512 <= K - 512*k0', 512, K - 512*k0')|))
(assert (! (<= 0 |i_u'|) :named |24: 0 <= i_u'|))
(assert (! (> 22 |i_u'|) :named |25: 22 > i_u'|))
(assert (! (<= 0 |l'|) :named |26: 0 <= l'|))
(assert (! (> 16 |l'|) :named |27: 16 > l'|))
(assert (! (< (+ |l'| (* 16 |i_u'|) (* 352 |i0'|)) I) :named |28: l' + 16*i_u' + 352*i0' < I|))
(assert (! (<= 0 (+ |l'| (* 16 |i_u'|) (* 352 |i0'|))) :named |29: 0 <= l' + 16*i_u' + 352*i0'|))
(assert (! (< (+ |l'| (* 16 |i_u'|) (* 352 |i0'|)) I) :named |30: l' + 16*i_u' + 352*i0' < I|))
(assert (! (<= 0 (+ |k1'| (* 512 |k0'|))) :named |31: 0 <= k1' + 512*k0'|))
(assert (! (< (+ |k1'| (* 512 |k0'|)) K) :named |32: k1' + 512*k0' < K|))
(assert (! (= (+ l (* 16 i_u) (* 352 i0)) (+ |l'| (* 16 |i_u'|) (* 352 |i0'|))) :named |33: l + 16*i_u + 352*i0 = l' + 16*i_u' + 352*i0'|))
(assert (! (= (+ k1 (* 512 k0)) (+ |k1'| (* 512 |k0'|))) :named |34: k1 + 512*k0 = k1' + 512*k0'|))
(assert (! (= (+ 351 I) (+ (* 352 |q!(I + 351)//(352)|) |r!(I + 351)%(352)|)) :named |35: 351 + I = 352*q!(I + 351)//(352) + r!(I + 351)%(352)|))
(assert (! (>= |r!(I + 351)%(352)| 0) :named |36: r!(I + 351)%(352) >= 0|))
(assert (! (> 352 |r!(I + 351)%(352)|) :named |37: 352 > r!(I + 351)%(352)|))
(assert (! (= (+ 511 K) (+ (* 512 |q!(K + 511)//(512)|) |r!(K + 511)%(512)|)) :named |38: 511 + K = 512*q!(K + 511)//(512) + r!(K + 511)%(512)|))
(assert (! (>= |r!(K + 511)%(512)| 0) :named |39: r!(K + 511)%(512) >= 0|))
(assert (! (> 512 |r!(K + 511)%(512)|) :named |40: 512 > r!(K + 511)%(512)|))
(assert (! (not (and (= (+ k1 (* 512 k0)) (+ |k1'| (* 512 |k0'|))) (= (+ l (* 16 i_u) (* 352 i0)) (+ |l'| (* 16 |i_u'|) (* 352 |i0'|))) (= k0 |k0'|) (= k1 |k1'|) (= i0 |i0'|) (= i_u |i_u'|) (= l |l'|))) :named |denied: k1 + 512*k0 = k1' + 512*k0' and l + 16*i_u + 352*i0 = l' + 16*i_u' + 352*i0' and k0 = k0' and...|))
(check-sat)
(pop 1)
