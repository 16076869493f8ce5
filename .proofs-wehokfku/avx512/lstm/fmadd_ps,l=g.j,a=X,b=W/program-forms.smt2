(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/lstm/fmadd_ps,l=g.j,a=X,b=W
; claim: forms
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; forms of R: it is a temporary of which nothing is read that was not written
;   decided without a solver, from the structure alone

; forms of R: nothing outside of the loop over t0 touches it
;   decided without a solver, from the structure alone

; forms of R: what is touched inside t0, k0, g_j0, b0, b1, g_j1, b_us, g_j_us lies in the block of 1 that t0 counts
; question 1
(push 1)
(set-info :status unsat)
(declare-fun B () Int)
(declare-fun C () Int)
(declare-fun J () Int)
(declare-fun T () Int)
(assert (! (<= 1 B) :named |1: 1 <= B|))
(assert (! (<= 1 C) :named |2: 1 <= C|))
(assert (! (<= 1 J) :named |3: 1 <= J|))
(assert (! (<= 1 T) :named |4: 1 <= T|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 0) (< 0 1))) :named |denied: 0 <= 0 and 0 < 1|))
(check-sat)
(pop 1)

; forms of R: what is touched inside t0, k0, g_j0, b0, b1, g_j1, b_us, g_j_us lies in the block of 1 that t0 counts
; question 2
(push 1)
(set-info :status unsat)
(declare-fun B () Int)
(declare-fun C () Int)
(declare-fun J () Int)
(declare-fun T () Int)
(assert (! (<= 1 B) :named |1: 1 <= B|))
(assert (! (<= 1 C) :named |2: 1 <= C|))
(assert (! (<= 1 J) :named |3: 1 <= J|))
(assert (! (<= 1 T) :named |4: 1 <= T|))
(assert (! (not (and (<= 0 0) (< 0 1))) :named |denied: 0 <= 0 and 0 < 1|))
(check-sat)
(pop 1)

; forms of R: what is touched inside t0, k0, g_j0, b0, b1, g_j1, b_ua, g_j_ua lies in the block of 1 that t0 counts
; question 3
(push 1)
(set-info :status unsat)
(declare-fun B () Int)
(declare-fun C () Int)
(declare-fun J () Int)
(declare-fun T () Int)
(assert (! (<= 1 B) :named |1: 1 <= B|))
(assert (! (<= 1 C) :named |2: 1 <= C|))
(assert (! (<= 1 J) :named |3: 1 <= J|))
(assert (! (<= 1 T) :named |4: 1 <= T|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 0) (< 0 1))) :named |denied: 0 <= 0 and 0 < 1|))
(check-sat)
(pop 1)

; forms of R: what is touched inside t0, k0, g_j0, b0, b1, g_j1, b_ua, g_j_ua lies in the block of 1 that t0 counts
; question 4
(push 1)
(set-info :status unsat)
(declare-fun B () Int)
(declare-fun C () Int)
(declare-fun J () Int)
(declare-fun T () Int)
(assert (! (<= 1 B) :named |1: 1 <= B|))
(assert (! (<= 1 C) :named |2: 1 <= C|))
(assert (! (<= 1 J) :named |3: 1 <= J|))
(assert (! (<= 1 T) :named |4: 1 <= T|))
(assert (! (not (and (<= 0 0) (< 0 1))) :named |denied: 0 <= 0 and 0 < 1|))
(check-sat)
(pop 1)

; forms of R: what is touched inside t0, b_5, j_5 lies in the block of 1 that t0 counts
; question 5
(push 1)
(set-info :status unsat)
(declare-fun B () Int)
(declare-fun C () Int)
(declare-fun J () Int)
(declare-fun T () Int)
(assert (! (<= 1 B) :named |1: 1 <= B|))
(assert (! (<= 1 C) :named |2: 1 <= C|))
(assert (! (<= 1 J) :named |3: 1 <= J|))
(assert (! (<= 1 T) :named |4: 1 <= T|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 0) (< 0 1))) :named |denied: 0 <= 0 and 0 < 1|))
(check-sat)
(pop 1)

; forms of R: what is touched inside t0, b_5, j_5 lies in the block of 1 that t0 counts
; question 6
(push 1)
(set-info :status unsat)
(declare-fun B () Int)
(declare-fun C () Int)
(declare-fun J () Int)
(declare-fun T () Int)
(assert (! (<= 1 B) :named |1: 1 <= B|))
(assert (! (<= 1 C) :named |2: 1 <= C|))
(assert (! (<= 1 J) :named |3: 1 <= J|))
(assert (! (<= 1 T) :named |4: 1 <= T|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 0) (< 0 1))) :named |denied: 0 <= 0 and 0 < 1|))
(check-sat)
(pop 1)

; forms of R: what is touched inside t0, b_5, j_5 lies in the block of 1 that t0 counts
; question 7
(push 1)
(set-info :status unsat)
(declare-fun B () Int)
(declare-fun C () Int)
(declare-fun J () Int)
(declare-fun T () Int)
(assert (! (<= 1 B) :named |1: 1 <= B|))
(assert (! (<= 1 C) :named |2: 1 <= C|))
(assert (! (<= 1 J) :named |3: 1 <= J|))
(assert (! (<= 1 T) :named |4: 1 <= T|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 0) (< 0 1))) :named |denied: 0 <= 0 and 0 < 1|))
(check-sat)
(pop 1)

; forms of R: what is touched inside t0, b_6, j_6 lies in the block of 1 that t0 counts
; question 8
(push 1)
(set-info :status unsat)
(declare-fun B () Int)
(declare-fun C () Int)
(declare-fun J () Int)
(declare-fun T () Int)
(assert (! (<= 1 B) :named |1: 1 <= B|))
(assert (! (<= 1 C) :named |2: 1 <= C|))
(assert (! (<= 1 J) :named |3: 1 <= J|))
(assert (! (<= 1 T) :named |4: 1 <= T|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 0) (< 0 1))) :named |denied: 0 <= 0 and 0 < 1|))
(check-sat)
(pop 1)

; forms of copy U -> U_packed_2: no point of a whole tile is outside the guard
; question 9
(push 1)
(set-info :status unsat)
(declare-fun B () Int)
(declare-fun C () Int)
(declare-fun J () Int)
(declare-fun T () Int)
(declare-fun c_g_j0 () Int)
(declare-fun |q!(4*J + 127)//(128)| () Int)
(declare-fun c_g_j1 () Int)
(declare-fun |q!(IMin(128, 4*J - 128*c_g_j0) + 63)//(64)| () Int)
(declare-fun c_g_j_u () Int)
(declare-fun c_l () Int)
(declare-fun |r!(4*J + 127)%(128)| () Int)
(declare-fun |r!(IMin(128, 4*J - 128*c_g_j0) + 63)%(64)| () Int)
(assert (! (<= 1 B) :named |1: 1 <= B|))
(assert (! (<= 1 C) :named |2: 1 <= C|))
(assert (! (<= 1 J) :named |3: 1 <= J|))
(assert (! (<= 1 T) :named |4: 1 <= T|))
(assert (! (<= 0 c_g_j0) :named |5: 0 <= c_g_j0|))
(assert (! (< c_g_j0 |q!(4*J + 127)//(128)|) :named |6: c_g_j0 < q!(4*J + 127)//(128)|))
(assert (! (<= 0 c_g_j1) :named |7: 0 <= c_g_j1|))
(assert (! (< c_g_j1 |q!(IMin(128, 4*J - 128*c_g_j0) + 63)//(64)|) :named |8: c_g_j1 < q!(IMin(128, 4*J - 128*c_g_j0) + 63)//(64)|))
(assert (! (<= 0 (+ (- 64) (* (- 128) c_g_j0) (* (- 64) c_g_j1) (* 4 J))) :named |9: 0 <= -64 - 128*c_g_j0 - 64*c_g_j1 + 4*J|))
(assert (! (<= 0 c_g_j_u) :named |10: 0 <= c_g_j_u|))
(assert (! (> 4 c_g_j_u) :named |11: 4 > c_g_j_u|))
(assert (! (<= 0 c_l) :named |12: 0 <= c_l|))
(assert (! (> 16 c_l) :named |13: 16 > c_l|))
(assert (! (= (+ 127 (* 4 J)) (+ (* 128 |q!(4*J + 127)//(128)|) |r!(4*J + 127)%(128)|)) :named |14: 127 + 4*J = 128*q!(4*J + 127)//(128) + r!(4*J + 127)%(128)|))
(assert (! (>= |r!(4*J + 127)%(128)| 0) :named |15: r!(4*J + 127)%(128) >= 0|))
(assert (! (> 128 |r!(4*J + 127)%(128)|) :named |16: 128 > r!(4*J + 127)%(128)|))
(assert (! (= (+ 63 (ite (<= 128 (+ (* (- 128) c_g_j0) (* 4 J))) 128 (+ (* (- 128) c_g_j0) (* 4 J)))) (+ (* 64 |q!(IMin(128, 4*J - 128*c_g_j0) + 63)//(64)|) |r!(IMin(128, 4*J - 128*c_g_j0) + 63)%(64)|)) :named |17: 63 + if(128 <= -128*c_g_j0 + 4*J, 128, -128*c_g_j0 + 4*J) = 64*q!(IMin(128, 4*J - 128*c_g_j0)...|))
(assert (! (>= |r!(IMin(128, 4*J - 128*c_g_j0) + 63)%(64)| 0) :named |18: r!(IMin(128, 4*J - 128*c_g_j0) + 63)%(64) >= 0|))
(assert (! (> 64 |r!(IMin(128, 4*J - 128*c_g_j0) + 63)%(64)|) :named |19: 64 > r!(IMin(128, 4*J - 128*c_g_j0) + 63)%(64)|))
(assert (! (not (< (+ c_l (* 16 c_g_j_u) (* 64 c_g_j1) (* 128 c_g_j0)) (* 4 J))) :named |denied: c_l + 16*c_g_j_u + 64*c_g_j1 + 128*c_g_j0 < 4*J|))
(check-sat)
(pop 1)
