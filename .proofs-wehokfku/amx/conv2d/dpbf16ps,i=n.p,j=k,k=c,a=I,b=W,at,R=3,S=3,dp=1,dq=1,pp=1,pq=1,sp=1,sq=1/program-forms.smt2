(set-info :smt-lib-version 2.6)
(set-logic ALL)
; amx/conv2d/dpbf16ps,i=n.p,j=k,k=c,a=I,b=W,at,R=3,S=3,dp=1,dq=1,pp=1,pq=1,sp=1,sq=1
; claim: forms
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

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
(declare-fun c0 () Int)
(declare-fun |q!(C + 63)//(64)| () Int)
(declare-fun c_c1 () Int)
(declare-fun |q!(IMin(64, C - 64*c0) + 31)//(32)| () Int)
(declare-fun c_k_by () Int)
(declare-fun c_k_u () Int)
(declare-fun c_j () Int)
(declare-fun c_k_in () Int)
(declare-fun |r!(K + 63)%(64)| () Int)
(declare-fun |r!(C + 63)%(64)| () Int)
(declare-fun |r!(IMin(64, C - 64*c0) + 31)%(32)| () Int)
(assert (! (<= 1 C) :named |1: 1 <= C|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 1 N) :named |3: 1 <= N|))
(assert (! (<= 1 P) :named |4: 1 <= P|))
(assert (! (<= 1 Q) :named |5: 1 <= Q|))
(assert (! (<= 0 k0) :named |6: 0 <= k0|))
(assert (! (< k0 |q!(K + 63)//(64)|) :named |7: k0 < q!(K + 63)//(64)|))
(assert (! (<= 0 c0) :named |8: 0 <= c0|))
(assert (! (< c0 |q!(C + 63)//(64)|) :named |9: c0 < q!(C + 63)//(64)|))
(assert (! (<= 0 c_c1) :named |10: 0 <= c_c1|))
(assert (! (< c_c1 |q!(IMin(64, C - 64*c0) + 31)//(32)|) :named |11: c_c1 < q!(IMin(64, C - 64*c0) + 31)//(32)|))
(assert (! (<= 0 c_k_by) :named |12: 0 <= c_k_by|))
(assert (! (> 16 c_k_by) :named |13: 16 > c_k_by|))
(assert (! (<= 0 c_k_u) :named |14: 0 <= c_k_u|))
(assert (! (> 4 c_k_u) :named |15: 4 > c_k_u|))
(assert (! (<= 0 (+ (- 16) K (* (- 64) k0) (* (- 16) c_k_u))) :named |16: 0 <= -16 + K - 64*k0 - 16*c_k_u|))
(assert (! (<= 0 (+ (- 2) C (* (- 64) c0) (* (- 32) c_c1) (* (- 2) c_k_by))) :named |17: 0 <= -2 + C - 64*c0 - 32*c_c1 - 2*c_k_by|))
(assert (! (<= 0 c_j) :named |18: 0 <= c_j|))
(assert (! (> 16 c_j) :named |19: 16 > c_j|))
(assert (! (<= 0 c_k_in) :named |20: 0 <= c_k_in|))
(assert (! (> 2 c_k_in) :named |21: 2 > c_k_in|))
(assert (! (= (+ 63 K) (+ (* 64 |q!(K + 63)//(64)|) |r!(K + 63)%(64)|)) :named |22: 63 + K = 64*q!(K + 63)//(64) + r!(K + 63)%(64)|))
(assert (! (>= |r!(K + 63)%(64)| 0) :named |23: r!(K + 63)%(64) >= 0|))
(assert (! (> 64 |r!(K + 63)%(64)|) :named |24: 64 > r!(K + 63)%(64)|))
(assert (! (= (+ 63 C) (+ (* 64 |q!(C + 63)//(64)|) |r!(C + 63)%(64)|)) :named |25: 63 + C = 64*q!(C + 63)//(64) + r!(C + 63)%(64)|))
(assert (! (>= |r!(C + 63)%(64)| 0) :named |26: r!(C + 63)%(64) >= 0|))
(assert (! (> 64 |r!(C + 63)%(64)|) :named |27: 64 > r!(C + 63)%(64)|))
(assert (! (= (+ 31 (ite (<= 64 (+ C (* (- 64) c0))) 64 (+ C (* (- 64) c0)))) (+ (* 32 |q!(IMin(64, C - 64*c0) + 31)//(32)|) |r!(IMin(64, C - 64*c0) + 31)%(32)|)) :named |28: 31 + if(64 <= C - 64*c0, 64, C - 64*c0) = 32*q!(IMin(64, C - 64*c0) + 31)//(32) + r!(IMin(64,...|))
(assert (! (>= |r!(IMin(64, C - 64*c0) + 31)%(32)| 0) :named |29: r!(IMin(64, C - 64*c0) + 31)%(32) >= 0|))
(assert (! (> 32 |r!(IMin(64, C - 64*c0) + 31)%(32)|) :named |30: 32 > r!(IMin(64, C - 64*c0) + 31)%(32)|))
(assert (! (not (and (< (+ c_j (* 16 c_k_u) (* 64 k0)) K) (< (+ c_k_in (* 2 c_k_by) (* 32 c_c1) (* 64 c0)) C))) :named |denied: c_j + 16*c_k_u + 64*k0 < K and c_k_in + 2*c_k_by + 32*c_c1 + 64*c0 < C|))
(check-sat)
(pop 1)

; forms of copy W -> W_packed: a block keeps the element type
;   decided without a solver, from the structure alone

; forms of copy W -> W_packed: isamap_interleave_2 takes each element where the copy reads it, and puts it where that
;   writes it
; question 2
(push 1)
(set-info :status unsat)
(declare-fun C () Int)
(declare-fun K () Int)
(declare-fun N () Int)
(declare-fun P () Int)
(declare-fun Q () Int)
(declare-fun c_j () Int)
(declare-fun c_k_in () Int)
(assert (! (<= 1 C) :named |1: 1 <= C|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 1 N) :named |3: 1 <= N|))
(assert (! (<= 1 P) :named |4: 1 <= P|))
(assert (! (<= 1 Q) :named |5: 1 <= Q|))
(assert (! (<= 0 c_j) :named |6: 0 <= c_j|))
(assert (! (> 16 c_j) :named |7: 16 > c_j|))
(assert (! (<= 0 c_k_in) :named |8: 0 <= c_k_in|))
(assert (! (> 2 c_k_in) :named |9: 2 > c_k_in|))
(assert (! (not (and (= (+ (* 2 c_j) (* 2 (* K c_k_in))) (+ (* 2 c_j) (* 2 (* K c_k_in)))) (= (+ (* 2 c_k_in) (* 4 c_j)) (+ (* 2 c_k_in) (* 4 c_j))))) :named |denied: 2*c_j + 2*K*c_k_in = 2*c_j + 2*K*c_k_in and 2*c_k_in + 4*c_j = 2*c_k_in + 4*c_j|))
(check-sat)
(pop 1)

; forms of copy W -> W_packed: a block has the elements of the inner loops
;   decided without a solver, from the structure alone

; forms of copy I -> I_packed: one test serves all points of the inner loops
;   decided without a solver, from the structure alone
