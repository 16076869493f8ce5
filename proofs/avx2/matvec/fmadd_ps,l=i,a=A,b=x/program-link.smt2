(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx2/matvec/fmadd_ps,l=i,a=A,b=x
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
(declare-fun |q!(I + 103)//(104)| () Int)
(declare-fun k0 () Int)
(declare-fun |q!(K + 1023)//(1024)| () Int)
(declare-fun k1 () Int)
(declare-fun i_u () Int)
(declare-fun l () Int)
(declare-fun |i0'| () Int)
(declare-fun |k0'| () Int)
(declare-fun |k1'| () Int)
(declare-fun |i_u'| () Int)
(declare-fun |l'| () Int)
(declare-fun |r!(I + 103)%(104)| () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 i0) :named |3: 0 <= i0|))
(assert (! (< i0 |q!(I + 103)//(104)|) :named |4: i0 < q!(I + 103)//(104)|))
(assert (! (<= 0 k0) :named |5: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |6: k0 < q!(K + 1023)//(1024)|))
(assert (! (<= 0 k1) :named |7: 0 <= k1|))
(assert (! (< k1 (ite (<= 1024 (+ K (* (- 1024) k0))) 1024 (+ K (* (- 1024) k0)))) :named |8: k1 < if(1024 <= K - 1024*k0, 1024, K - 1024*k0)|))
(assert (! (<= 0 i_u) :named |9: 0 <= i_u|))
(assert (! (> 13 i_u) :named |10: 13 > i_u|))
(assert (! (<= 0 l) :named |11: 0 <= l|))
(assert (! (> 8 l) :named |12: 8 > l|))
(assert (! (< (+ l (* 8 i_u) (* 104 i0)) I) :named |13: l + 8*i_u + 104*i0 < I|))
(assert (! (<= 0 (+ l (* 8 i_u) (* 104 i0))) :named |14: 0 <= l + 8*i_u + 104*i0|))
(assert (! (< (+ l (* 8 i_u) (* 104 i0)) I) :named |15: l + 8*i_u + 104*i0 < I|))
(assert (! (<= 0 (+ k1 (* 1024 k0))) :named |16: 0 <= k1 + 1024*k0|))
(assert (! (< (+ k1 (* 1024 k0)) K) :named |17: k1 + 1024*k0 < K|))
(assert (! (<= 0 |i0'|) :named |18: 0 <= i0'|))
(assert (! (< |i0'| |q!(I + 103)//(104)|) :named |19: i0' < q!(I + 103)//(104)|))
(assert (! (<= 0 |k0'|) :named |20: 0 <= k0'|))
(assert (! (< |k0'| |q!(K + 1023)//(1024)|) :named |21: k0' < q!(K + 1023)//(1024)|))
(assert (! (<= 0 |k1'|) :named |22: 0 <= k1'|))
(assert (! (< |k1'| (ite (<= 1024 (+ K (* (- 1024) |k0'|))) 1024 (+ K (* (- 1024) |k0'|)))) :named |23: k1' < if(1024 <= K - 1024*k0', 1024, K - 1024*k0')|))
(assert (! (<= 0 |i_u'|) :named |24: 0 <= i_u'|))
(assert (! (> 13 |i_u'|) :named |25: 13 > i_u'|))
(assert (! (<= 0 |l'|) :named |26: 0 <= l'|))
(assert (! (> 8 |l'|) :named |27: 8 > l'|))
(assert (! (< (+ |l'| (* 8 |i_u'|) (* 104 |i0'|)) I) :named |28: l' + 8*i_u' + 104*i0' < I|))
(assert (! (<= 0 (+ |l'| (* 8 |i_u'|) (* 104 |i0'|))) :named |29: 0 <= l' + 8*i_u' + 104*i0'|))
(assert (! (< (+ |l'| (* 8 |i_u'|) (* 104 |i0'|)) I) :named |30: l' + 8*i_u' + 104*i0' < I|))
(assert (! (<= 0 (+ |k1'| (* 1024 |k0'|))) :named |31: 0 <= k1' + 1024*k0'|))
(assert (! (< (+ |k1'| (* 1024 |k0'|)) K) :named |32: k1' + 1024*k0' < K|))
(assert (! (= (+ l (* 8 i_u) (* 104 i0)) (+ |l'| (* 8 |i_u'|) (* 104 |i0'|))) :named |33: l + 8*i_u + 104*i0 = l' + 8*i_u' + 104*i0'|))
(assert (! (= (+ k1 (* 1024 k0)) (+ |k1'| (* 1024 |k0'|))) :named |34: k1 + 1024*k0 = k1' + 1024*k0'|))
(assert (! (= (+ 103 I) (+ (* 104 |q!(I + 103)//(104)|) |r!(I + 103)%(104)|)) :named |35: 103 + I = 104*q!(I + 103)//(104) + r!(I + 103)%(104)|))
(assert (! (>= |r!(I + 103)%(104)| 0) :named |36: r!(I + 103)%(104) >= 0|))
(assert (! (> 104 |r!(I + 103)%(104)|) :named |37: 104 > r!(I + 103)%(104)|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |38: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |39: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |40: 1024 > r!(K + 1023)%(1024)|))
(assert (! (not (and (= (+ k1 (* 1024 k0)) (+ |k1'| (* 1024 |k0'|))) (= (+ l (* 8 i_u) (* 104 i0)) (+ |l'| (* 8 |i_u'|) (* 104 |i0'|))) (= k0 |k0'|) (= k1 |k1'|) (= i0 |i0'|) (= i_u |i_u'|) (= l |l'|))) :named |denied: k1 + 1024*k0 = k1' + 1024*k0' and l + 8*i_u + 104*i0 = l' + 8*i_u' + 104*i0' and k0 = k0' and...|))
(check-sat)
(pop 1)
