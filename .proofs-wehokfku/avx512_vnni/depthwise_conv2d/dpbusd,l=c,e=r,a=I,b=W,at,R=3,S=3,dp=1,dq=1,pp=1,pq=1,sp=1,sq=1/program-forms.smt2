(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512_vnni/depthwise_conv2d/dpbusd,l=c,e=r,a=I,b=W,at,R=3,S=3,dp=1,dq=1,pp=1,pq=1,sp=1,sq=1
; claim: forms
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; forms of copy W -> W_packed: no point of a whole tile is outside the guard
; question 1
(push 1)
(set-info :status unsat)
(declare-fun C () Int)
(declare-fun N () Int)
(declare-fun P () Int)
(declare-fun Q () Int)
(declare-fun c0 () Int)
(declare-fun |q!(C + 255)//(256)| () Int)
(declare-fun c_c1 () Int)
(declare-fun |q!(IMin(256, C - 256*c0) + 15)//(16)| () Int)
(declare-fun c_l () Int)
(declare-fun c_e () Int)
(declare-fun |r!(C + 255)%(256)| () Int)
(declare-fun |r!(IMin(256, C - 256*c0) + 15)%(16)| () Int)
(assert (! (<= 1 C) :named |1: 1 <= C|))
(assert (! (<= 1 N) :named |2: 1 <= N|))
(assert (! (<= 1 P) :named |3: 1 <= P|))
(assert (! (<= 1 Q) :named |4: 1 <= Q|))
(assert (! (<= 0 c0) :named |5: 0 <= c0|))
(assert (! (< c0 |q!(C + 255)//(256)|) :named |6: c0 < q!(C + 255)//(256)|))
(assert (! (<= 0 c_c1) :named |7: 0 <= c_c1|))
(assert (! (< c_c1 |q!(IMin(256, C - 256*c0) + 15)//(16)|) :named |8: c_c1 < q!(IMin(256, C - 256*c0) + 15)//(16)|))
(assert (! (<= 0 c_l) :named |9: 0 <= c_l|))
(assert (! (> 16 c_l) :named |10: 16 > c_l|))
(assert (! (<= 0 (+ (- 1) C (* (- 1) c_l) (* (- 256) c0) (* (- 16) c_c1))) :named |11: 0 <= -1 + C - 1*c_l - 256*c0 - 16*c_c1|))
(assert (! false :named |12: False|))
(assert (! (<= 0 c_e) :named |13: 0 <= c_e|))
(assert (! (> 4 c_e) :named |14: 4 > c_e|))
(assert (! (= (+ 255 C) (+ (* 256 |q!(C + 255)//(256)|) |r!(C + 255)%(256)|)) :named |15: 255 + C = 256*q!(C + 255)//(256) + r!(C + 255)%(256)|))
(assert (! (>= |r!(C + 255)%(256)| 0) :named |16: r!(C + 255)%(256) >= 0|))
(assert (! (> 256 |r!(C + 255)%(256)|) :named |17: 256 > r!(C + 255)%(256)|))
(assert (! (= (+ 15 (ite (<= 256 (+ C (* (- 256) c0))) 256 (+ C (* (- 256) c0)))) (+ (* 16 |q!(IMin(256, C - 256*c0) + 15)//(16)|) |r!(IMin(256, C - 256*c0) + 15)%(16)|)) :named |18: 15 + if(256 <= C - 256*c0, 256, C - 256*c0) = 16*q!(IMin(256, C - 256*c0) + 15)//(16) + r!(IM...|))
(assert (! (>= |r!(IMin(256, C - 256*c0) + 15)%(16)| 0) :named |19: r!(IMin(256, C - 256*c0) + 15)%(16) >= 0|))
(assert (! (> 16 |r!(IMin(256, C - 256*c0) + 15)%(16)|) :named |20: 16 > r!(IMin(256, C - 256*c0) + 15)%(16)|))
(assert (! (not (and (< (+ c_l (* 16 c_c1) (* 256 c0)) C) (> 3 c_e))) :named |denied: c_l + 16*c_c1 + 256*c0 < C and 3 > c_e|))
(check-sat)
(pop 1)

; forms of copy I -> I_packed: one test serves all points of the inner loops
;   decided without a solver, from the structure alone
