(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512_vnni/conv2d/dpbusd,l=k,e=c,a=I,b=W,at,R=3,S=3,dp=1,dq=1,pp=1,pq=1,sp=1,sq=1
; claim: forms
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; forms of copy I -> I_packed: one test serves all points of the inner loops
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
(declare-fun c0 () Int)
(declare-fun |q!(C + 63)//(64)| () Int)
(declare-fun k0 () Int)
(declare-fun |q!(K + 63)//(64)| () Int)
(declare-fun c_c1 () Int)
(declare-fun |q!(IMin(64, C - 64*c0) + 3)//(4)| () Int)
(declare-fun c_k_u () Int)
(declare-fun c_l () Int)
(declare-fun c_e () Int)
(declare-fun |r!(C + 63)%(64)| () Int)
(declare-fun |r!(K + 63)%(64)| () Int)
(declare-fun |r!(IMin(64, C - 64*c0) + 3)%(4)| () Int)
(assert (! (<= 1 C) :named |1: 1 <= C|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 1 N) :named |3: 1 <= N|))
(assert (! (<= 1 P) :named |4: 1 <= P|))
(assert (! (<= 1 Q) :named |5: 1 <= Q|))
(assert (! (<= 0 c0) :named |6: 0 <= c0|))
(assert (! (< c0 |q!(C + 63)//(64)|) :named |7: c0 < q!(C + 63)//(64)|))
(assert (! (<= 0 k0) :named |8: 0 <= k0|))
(assert (! (< k0 |q!(K + 63)//(64)|) :named |9: k0 < q!(K + 63)//(64)|))
(assert (! (<= 0 c_c1) :named |10: 0 <= c_c1|))
(assert (! (< c_c1 |q!(IMin(64, C - 64*c0) + 3)//(4)|) :named |11: c_c1 < q!(IMin(64, C - 64*c0) + 3)//(4)|))
(assert (! (<= 0 c_k_u) :named |12: 0 <= c_k_u|))
(assert (! (> 4 c_k_u) :named |13: 4 > c_k_u|))
(assert (! (<= 0 (+ (- 16) K (* (- 64) k0) (* (- 16) c_k_u))) :named |14: 0 <= -16 + K - 64*k0 - 16*c_k_u|))
(assert (! (<= 0 (+ (- 4) C (* (- 64) c0) (* (- 4) c_c1))) :named |15: 0 <= -4 + C - 64*c0 - 4*c_c1|))
(assert (! (<= 0 c_l) :named |16: 0 <= c_l|))
(assert (! (> 16 c_l) :named |17: 16 > c_l|))
(assert (! (<= 0 c_e) :named |18: 0 <= c_e|))
(assert (! (> 4 c_e) :named |19: 4 > c_e|))
(assert (! (= (+ 63 C) (+ (* 64 |q!(C + 63)//(64)|) |r!(C + 63)%(64)|)) :named |20: 63 + C = 64*q!(C + 63)//(64) + r!(C + 63)%(64)|))
(assert (! (>= |r!(C + 63)%(64)| 0) :named |21: r!(C + 63)%(64) >= 0|))
(assert (! (> 64 |r!(C + 63)%(64)|) :named |22: 64 > r!(C + 63)%(64)|))
(assert (! (= (+ 63 K) (+ (* 64 |q!(K + 63)//(64)|) |r!(K + 63)%(64)|)) :named |23: 63 + K = 64*q!(K + 63)//(64) + r!(K + 63)%(64)|))
(assert (! (>= |r!(K + 63)%(64)| 0) :named |24: r!(K + 63)%(64) >= 0|))
(assert (! (> 64 |r!(K + 63)%(64)|) :named |25: 64 > r!(K + 63)%(64)|))
(assert (! (= (+ 3 (ite (<= 64 (+ C (* (- 64) c0))) 64 (+ C (* (- 64) c0)))) (+ (* 4 |q!(IMin(64, C - 64*c0) + 3)//(4)|) |r!(IMin(64, C - 64*c0) + 3)%(4)|)) :named |26: 3 + if(64 <= C - 64*c0, 64, C - 64*c0) = 4*q!(IMin(64, C - 64*c0) + 3)//(4) + r!(IMin(64, C -...|))
(assert (! (>= |r!(IMin(64, C - 64*c0) + 3)%(4)| 0) :named |27: r!(IMin(64, C - 64*c0) + 3)%(4) >= 0|))
(assert (! (> 4 |r!(IMin(64, C - 64*c0) + 3)%(4)|) :named |28: 4 > r!(IMin(64, C - 64*c0) + 3)%(4)|))
(assert (! (not (and (< (+ c_l (* 16 c_k_u) (* 64 k0)) K) (< (+ c_e (* 4 c_c1) (* 64 c0)) C))) :named |denied: c_l + 16*c_k_u + 64*k0 < K and c_e + 4*c_c1 + 64*c0 < C|))
(check-sat)
(pop 1)

; forms of copy W -> W_packed: a block keeps the element type
;   decided without a solver, from the structure alone

; forms of copy W -> W_packed: isamap_interleave_4 takes each element where the copy reads it, and puts it where that
;   writes it
; question 2
(push 1)
(set-info :status unsat)
(declare-fun C () Int)
(declare-fun K () Int)
(declare-fun N () Int)
(declare-fun P () Int)
(declare-fun Q () Int)
(declare-fun c_l () Int)
(declare-fun c_e () Int)
(assert (! (<= 1 C) :named |1: 1 <= C|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 1 N) :named |3: 1 <= N|))
(assert (! (<= 1 P) :named |4: 1 <= P|))
(assert (! (<= 1 Q) :named |5: 1 <= Q|))
(assert (! (<= 0 c_l) :named |6: 0 <= c_l|))
(assert (! (> 16 c_l) :named |7: 16 > c_l|))
(assert (! (<= 0 c_e) :named |8: 0 <= c_e|))
(assert (! (> 4 c_e) :named |9: 4 > c_e|))
(assert (! (not (and (= (+ c_l (* K c_e)) (+ c_l (* K c_e))) (= (+ c_e (* 4 c_l)) (+ c_e (* 4 c_l))))) :named |denied: c_l + K*c_e = c_l + K*c_e and c_e + 4*c_l = c_e + 4*c_l|))
(check-sat)
(pop 1)

; forms of copy W -> W_packed: a block has the elements of the inner loops
;   decided without a solver, from the structure alone
