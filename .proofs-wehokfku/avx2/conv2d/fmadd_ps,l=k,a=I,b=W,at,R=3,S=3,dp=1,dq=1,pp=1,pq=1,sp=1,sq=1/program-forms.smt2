(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx2/conv2d/fmadd_ps,l=k,a=I,b=W,at,R=3,S=3,dp=1,dq=1,pp=1,pq=1,sp=1,sq=1
; claim: forms
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; forms of copy I -> I_padded: one test serves all points of the inner loops
;   decided without a solver, from the structure alone

; forms of copy W -> W_packed: no point of a whole tile is outside the guard
; question 1
(push 1)
(set-info :status unsat)
(declare-fun C () Int)
(declare-fun K () Int)
(declare-fun N () Int)
(declare-fun P () Int)
(declare-fun Q () Int)
(declare-fun k0 () Int)
(declare-fun |q!(K + 63)//(64)| () Int)
(declare-fun c_k1 () Int)
(declare-fun |q!(IMin(64, K - 64*k0) + 15)//(16)| () Int)
(declare-fun c_k_u () Int)
(declare-fun c_l () Int)
(declare-fun |r!(K + 63)%(64)| () Int)
(declare-fun |r!(IMin(64, K - 64*k0) + 15)%(16)| () Int)
(assert (! (<= 1 C) :named |1: 1 <= C|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 1 N) :named |3: 1 <= N|))
(assert (! (<= 1 P) :named |4: 1 <= P|))
(assert (! (<= 1 Q) :named |5: 1 <= Q|))
(assert (! (<= 0 k0) :named |6: 0 <= k0|))
(assert (! (< k0 |q!(K + 63)//(64)|) :named |7: k0 < q!(K + 63)//(64)|))
(assert (! (<= 0 c_k1) :named |8: 0 <= c_k1|))
(assert (! (< c_k1 |q!(IMin(64, K - 64*k0) + 15)//(16)|) :named |9: c_k1 < q!(IMin(64, K - 64*k0) + 15)//(16)|))
(assert (! (<= 0 (+ (- 16) K (* (- 64) k0) (* (- 16) c_k1))) :named |10: 0 <= -16 + K - 64*k0 - 16*c_k1|))
(assert (! (<= 0 c_k_u) :named |11: 0 <= c_k_u|))
(assert (! (> 2 c_k_u) :named |12: 2 > c_k_u|))
(assert (! (<= 0 c_l) :named |13: 0 <= c_l|))
(assert (! (> 8 c_l) :named |14: 8 > c_l|))
(assert (! (= (+ 63 K) (+ (* 64 |q!(K + 63)//(64)|) |r!(K + 63)%(64)|)) :named |15: 63 + K = 64*q!(K + 63)//(64) + r!(K + 63)%(64)|))
(assert (! (>= |r!(K + 63)%(64)| 0) :named |16: r!(K + 63)%(64) >= 0|))
(assert (! (> 64 |r!(K + 63)%(64)|) :named |17: 64 > r!(K + 63)%(64)|))
(assert (! (= (+ 15 (ite (<= 64 (+ K (* (- 64) k0))) 64 (+ K (* (- 64) k0)))) (+ (* 16 |q!(IMin(64, K - 64*k0) + 15)//(16)|) |r!(IMin(64, K - 64*k0) + 15)%(16)|)) :named |18: 15 + if(64 <= K - 64*k0, 64, K - 64*k0) = 16*q!(IMin(64, K - 64*k0) + 15)//(16) + r!(IMin(64,...|))
(assert (! (>= |r!(IMin(64, K - 64*k0) + 15)%(16)| 0) :named |19: r!(IMin(64, K - 64*k0) + 15)%(16) >= 0|))
(assert (! (> 16 |r!(IMin(64, K - 64*k0) + 15)%(16)|) :named |20: 16 > r!(IMin(64, K - 64*k0) + 15)%(16)|))
(assert (! (not (< (+ c_l (* 8 c_k_u) (* 16 c_k1) (* 64 k0)) K)) :named |denied: c_l + 8*c_k_u + 16*c_k1 + 64*k0 < K|))
(check-sat)
(pop 1)
