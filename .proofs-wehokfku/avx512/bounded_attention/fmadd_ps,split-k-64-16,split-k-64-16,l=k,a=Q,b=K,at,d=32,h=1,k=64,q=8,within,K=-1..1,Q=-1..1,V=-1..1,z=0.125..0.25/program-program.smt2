(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_attention/fmadd_ps,split-k-64-16,split-k-64-16,l=k,a=Q,b=K,at,d=32,h=1,k=64,q=8,within,K=-1..1,Q=-1..1,V=-1..1,z=0.125..0.25
; claim: program
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; program of K_packed: the type of K_packed mentions only loops around its declaration (at the top)
;   decided without a solver, from the structure alone

; program of acc: the type of acc mentions only loops around its declaration (inside q0)
;   decided without a solver, from the structure alone

; program of b_r: the type of b_r mentions only loops around its declaration (inside q0, d0)
;   decided without a solver, from the structure alone

; program of a_r: the type of a_r mentions only loops around its declaration (inside q0, d0, q_u)
;   decided without a solver, from the structure alone

; program of acc_2: the type of acc_2 mentions only loops around its declaration (at the top)
;   decided without a solver, from the structure alone

; program of x0_r_2: the type of x0_r_2 mentions only loops around its declaration (inside k_step0, q_u)
;   decided without a solver, from the structure alone

; program of acc_3: the type of acc_3 mentions only loops around its declaration (inside q0)
;   decided without a solver, from the structure alone

; program of x1_r_3: the type of x1_r_3 mentions only loops around its declaration (inside q0)
;   decided without a solver, from the structure alone

; program of x2_r_3: the type of x2_r_3 mentions only loops around its declaration (inside q0)
;   decided without a solver, from the structure alone

; program of x0_r_3: the type of x0_r_3 mentions only loops around its declaration (inside q0, k_u)
;   decided without a solver, from the structure alone

; program of acc_4: the type of acc_4 mentions only loops around its declaration (at the top)
;   decided without a solver, from the structure alone

; program of x0_r_4: the type of x0_r_4 mentions only loops around its declaration (inside k_step_0, q_u)
;   decided without a solver, from the structure alone

; program of acc_5: the type of acc_5 mentions only loops around its declaration (at the top)
;   decided without a solver, from the structure alone

; program of b_r_5: the type of b_r_5 mentions only loops around its declaration (inside k0)
;   decided without a solver, from the structure alone

; program of a_r_5: the type of a_r_5 mentions only loops around its declaration (inside k0, q_u)
;   decided without a solver, from the structure alone

; program of copy K -> K_packed: source and destination have one element type
;   decided without a solver, from the structure alone

; program of copy K -> K_packed: every cell written at the top holds what the type of K_packed says
; question 1
(push 1)
(set-info :status unsat)
(declare-fun c_k_u () Int)
(declare-fun c_d0 () Int)
(declare-fun c_l () Int)
(assert (! (<= 0 c_k_u) :named |1: 0 <= c_k_u|))
(assert (! (> 4 c_k_u) :named |2: 4 > c_k_u|))
(assert (! (<= 0 c_d0) :named |3: 0 <= c_d0|))
(assert (! (> 32 c_d0) :named |4: 32 > c_d0|))
(assert (! (<= 0 c_l) :named |5: 0 <= c_l|))
(assert (! (> 16 c_l) :named |6: 16 > c_l|))
(assert (! true :named |7: true|))
(assert (! (not (and (=> true (and true true (= 0 0) (= (+ c_l (* 16 c_k_u)) (+ c_l (* 16 c_k_u))) (= c_d0 c_d0))) (=> (not true) (or (not true) false)))) :named |denied: (true implies true and true and 0 = 0 and c_l + 16*c_k_u = c_l + 16*c_k_u and c_d0 = c_d0) an...|))
(check-sat)
(pop 1)

; program of zero_f32 0 -> acc: source and destination have one element type
;   decided without a solver, from the structure alone

; program of load_f32 K_packed -> b_r: source and destination have one element type
;   decided without a solver, from the structure alone

; program of load_f32 K_packed -> b_r: every cell written inside q0, d0, k_ub holds what the type of b_r says
; question 2
(push 1)
(set-info :status unsat)
(declare-fun d0 () Int)
(declare-fun k_ub () Int)
(declare-fun l () Int)
(assert (! (<= 0 d0) :named |1: 0 <= d0|))
(assert (! (> 32 d0) :named |2: 32 > d0|))
(assert (! (<= 0 k_ub) :named |3: 0 <= k_ub|))
(assert (! (> 4 k_ub) :named |4: 4 > k_ub|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (not (=> true (and true true (= 0 0) (= (+ l (* 16 k_ub)) (+ l (* 16 k_ub))) (= d0 d0)))) :named |denied: true implies true and true and 0 = 0 and l + 16*k_ub = l + 16*k_ub and d0 = d0|))
(check-sat)
(pop 1)

; program of broadcast_f32 Q -> a_r: source and destination have one element type
;   decided without a solver, from the structure alone

; program of broadcast_f32 Q -> a_r: every cell written inside q0, d0, q_u holds what the type of a_r says
; question 3
(push 1)
(set-info :status unsat)
(declare-fun q0 () Int)
(declare-fun d0 () Int)
(declare-fun q_u () Int)
(assert (! (<= 0 q0) :named |1: 0 <= q0|))
(assert (! (> 2 q0) :named |2: 2 > q0|))
(assert (! (<= 0 d0) :named |3: 0 <= d0|))
(assert (! (> 32 d0) :named |4: 32 > d0|))
(assert (! (<= 0 q_u) :named |5: 0 <= q_u|))
(assert (! (> 4 q_u) :named |6: 4 > q_u|))
(assert (! true :named |7: true|))
(assert (! (not (=> true (and true true (= 0 0) (= (+ q_u (* 4 q0)) (+ q_u (* 4 q0))) (= d0 d0)))) :named |denied: true implies true and true and 0 = 0 and q_u + 4*q0 = q_u + 4*q0 and d0 = d0|))
(check-sat)
(pop 1)

; program of store_f32 acc -> S: source and destination have one element type
;   decided without a solver, from the structure alone

; program of store_f32 acc -> S: every cell written inside q0, q_us, k_us holds what the type of S says
; question 4
(push 1)
(set-info :status unsat)
(declare-fun q0 () Int)
(declare-fun q_us () Int)
(declare-fun k_us () Int)
(declare-fun l () Int)
(assert (! (<= 0 q0) :named |1: 0 <= q0|))
(assert (! (> 2 q0) :named |2: 2 > q0|))
(assert (! (<= 0 q_us) :named |3: 0 <= q_us|))
(assert (! (> 4 q_us) :named |4: 4 > q_us|))
(assert (! (<= 0 k_us) :named |5: 0 <= k_us|))
(assert (! (> 4 k_us) :named |6: 4 > k_us|))
(assert (! (<= 0 l) :named |7: 0 <= l|))
(assert (! (> 16 l) :named |8: 16 > l|))
(assert (! true :named |9: true|))
(assert (! (not (=> true (and true true (= 0 0) (= (+ q_us (* 4 q0)) (+ q_us (* 4 q0))) (= (+ l (* 16 k_us)) (+ l (* 16 k_us)))))) :named |denied: true implies true and true and 0 = 0 and q_us + 4*q0 = q_us + 4*q0 and l + 16*k_us = l + 16*k_us|))
(check-sat)
(pop 1)

; program of broadcast_f32_of_least 0 -> acc_2: source and destination have one element type
;   decided without a solver, from the structure alone

; program of load_f32 S -> x0_r_2: source and destination have one element type
;   decided without a solver, from the structure alone

; program of load_f32 S -> x0_r_2: every cell written inside k_step0, q_u holds what the type of x0_r_2 says
; question 5
(push 1)
(set-info :status unsat)
(declare-fun k_step0 () Int)
(declare-fun q_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 k_step0) :named |1: 0 <= k_step0|))
(assert (! (> 4 k_step0) :named |2: 4 > k_step0|))
(assert (! (<= 0 q_u) :named |3: 0 <= q_u|))
(assert (! (> 8 q_u) :named |4: 8 > q_u|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (not (=> true (and true true (= 0 0) (= q_u q_u) (= (+ l (* 16 k_step0)) (+ l (* 16 k_step0)))))) :named |denied: true implies true and true and 0 = 0 and q_u = q_u and l + 16*k_step0 = l + 16*k_step0|))
(check-sat)
(pop 1)

; program of store_f32 acc_2 -> M_sums: source and destination have one element type
;   decided without a solver, from the structure alone

; program of store_f32 acc_2 -> M_sums: every cell written inside q_us holds what the type of M_sums says
; question 6
(push 1)
(set-info :status unsat)
(declare-fun q_us () Int)
(declare-fun l () Int)
(assert (! (<= 0 q_us) :named |1: 0 <= q_us|))
(assert (! (> 8 q_us) :named |2: 8 > q_us|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! (not (=> true (and true true (= 0 0) (= q_us q_us) (= l l)))) :named |denied: true implies true and true and 0 = 0 and q_us = q_us and l = l|))
(check-sat)
(pop 1)

; program of load_f32 E -> acc_3: source and destination have one element type
;   decided without a solver, from the structure alone

; program of load_f32 E -> acc_3: every cell written inside q0, k_ul holds what the type of acc_3 says
; question 7
(push 1)
(set-info :status unsat)
(declare-fun q0 () Int)
(declare-fun k_ul () Int)
(declare-fun l () Int)
(assert (! (<= 0 q0) :named |1: 0 <= q0|))
(assert (! (> 8 q0) :named |2: 8 > q0|))
(assert (! (<= 0 k_ul) :named |3: 0 <= k_ul|))
(assert (! (> 4 k_ul) :named |4: 4 > k_ul|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (not (=> true (and true true (= 0 0) (= q0 q0) (= (+ l (* 16 k_ul)) (+ l (* 16 k_ul)))))) :named |denied: true implies true and true and 0 = 0 and q0 = q0 and l + 16*k_ul = l + 16*k_ul|))
(check-sat)
(pop 1)

; program of broadcast_f32 M -> x1_r_3: source and destination have one element type
;   decided without a solver, from the structure alone

; program of broadcast_f32 M -> x1_r_3: every cell written inside q0 holds what the type of x1_r_3 says
; question 8
(push 1)
(set-info :status unsat)
(declare-fun q0 () Int)
(assert (! (<= 0 q0) :named |1: 0 <= q0|))
(assert (! (> 8 q0) :named |2: 8 > q0|))
(assert (! true :named |3: true|))
(assert (! (not (=> true (and true true (= 0 0) (= q0 q0)))) :named |denied: true implies true and true and 0 = 0 and q0 = q0|))
(check-sat)
(pop 1)

; program of broadcast_f32 z -> x2_r_3: source and destination have one element type
;   decided without a solver, from the structure alone

; program of broadcast_f32 z -> x2_r_3: every cell written inside q0 holds what the type of x2_r_3 says
; question 9
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (=> true (and true true))) :named |denied: true implies true and true|))
(check-sat)
(pop 1)

; program of load_f32 S -> x0_r_3: source and destination have one element type
;   decided without a solver, from the structure alone

; program of load_f32 S -> x0_r_3: every cell written inside q0, k_u holds what the type of x0_r_3 says
; question 10
(push 1)
(set-info :status unsat)
(declare-fun q0 () Int)
(declare-fun k_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 q0) :named |1: 0 <= q0|))
(assert (! (> 8 q0) :named |2: 8 > q0|))
(assert (! (<= 0 k_u) :named |3: 0 <= k_u|))
(assert (! (> 4 k_u) :named |4: 4 > k_u|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (not (=> true (and true true (= 0 0) (= q0 q0) (= (+ l (* 16 k_u)) (+ l (* 16 k_u)))))) :named |denied: true implies true and true and 0 = 0 and q0 = q0 and l + 16*k_u = l + 16*k_u|))
(check-sat)
(pop 1)

; program of store_f32 acc_3 -> E: source and destination have one element type
;   decided without a solver, from the structure alone

; program of store_f32 acc_3 -> E: every cell written inside q0, k_us holds what the type of E says
; question 11
(push 1)
(set-info :status unsat)
(declare-fun q0 () Int)
(declare-fun k_us () Int)
(declare-fun l () Int)
(assert (! (<= 0 q0) :named |1: 0 <= q0|))
(assert (! (> 8 q0) :named |2: 8 > q0|))
(assert (! (<= 0 k_us) :named |3: 0 <= k_us|))
(assert (! (> 4 k_us) :named |4: 4 > k_us|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (not (=> true (and true true (= 0 0) (= q0 q0) (= (+ l (* 16 k_us)) (+ l (* 16 k_us)))))) :named |denied: true implies true and true and 0 = 0 and q0 = q0 and l + 16*k_us = l + 16*k_us|))
(check-sat)
(pop 1)

; program of zero_f32 0 -> acc_4: source and destination have one element type
;   decided without a solver, from the structure alone

; program of load_f32 E -> x0_r_4: source and destination have one element type
;   decided without a solver, from the structure alone

; program of load_f32 E -> x0_r_4: every cell written inside k_step_0, q_u holds what the type of x0_r_4 says
; question 12
(push 1)
(set-info :status unsat)
(declare-fun k_step_0 () Int)
(declare-fun q_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 k_step_0) :named |1: 0 <= k_step_0|))
(assert (! (> 4 k_step_0) :named |2: 4 > k_step_0|))
(assert (! (<= 0 q_u) :named |3: 0 <= q_u|))
(assert (! (> 8 q_u) :named |4: 8 > q_u|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (not (=> true (and true true (= 0 0) (= q_u q_u) (= (+ l (* 16 k_step_0)) (+ l (* 16 k_step_0)))))) :named |denied: true implies true and true and 0 = 0 and q_u = q_u and l + 16*k_step_0 = l + 16*k_step_0|))
(check-sat)
(pop 1)

; program of store_f32 acc_4 -> D_sums: source and destination have one element type
;   decided without a solver, from the structure alone

; program of store_f32 acc_4 -> D_sums: every cell written inside q_us holds what the type of D_sums says
; question 13
(push 1)
(set-info :status unsat)
(declare-fun q_us () Int)
(declare-fun l () Int)
(assert (! (<= 0 q_us) :named |1: 0 <= q_us|))
(assert (! (> 8 q_us) :named |2: 8 > q_us|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! (not (=> true (and true true (= 0 0) (= q_us q_us) (= l l)))) :named |denied: true implies true and true and 0 = 0 and q_us = q_us and l = l|))
(check-sat)
(pop 1)

; program of zero_f32 0 -> acc_5: source and destination have one element type
;   decided without a solver, from the structure alone

; program of load_f32 V -> b_r_5: source and destination have one element type
;   decided without a solver, from the structure alone

; program of load_f32 V -> b_r_5: every cell written inside k0, d_ub holds what the type of b_r_5 says
; question 14
(push 1)
(set-info :status unsat)
(declare-fun k0 () Int)
(declare-fun d_ub () Int)
(declare-fun l () Int)
(assert (! (<= 0 k0) :named |1: 0 <= k0|))
(assert (! (> 64 k0) :named |2: 64 > k0|))
(assert (! (<= 0 d_ub) :named |3: 0 <= d_ub|))
(assert (! (> 2 d_ub) :named |4: 2 > d_ub|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (not (=> true (and true true (= 0 0) (= k0 k0) (= (+ l (* 16 d_ub)) (+ l (* 16 d_ub)))))) :named |denied: true implies true and true and 0 = 0 and k0 = k0 and l + 16*d_ub = l + 16*d_ub|))
(check-sat)
(pop 1)

; program of broadcast_f32 E -> a_r_5: source and destination have one element type
;   decided without a solver, from the structure alone

; program of broadcast_f32 E -> a_r_5: every cell written inside k0, q_u holds what the type of a_r_5 says
; question 15
(push 1)
(set-info :status unsat)
(declare-fun k0 () Int)
(declare-fun q_u () Int)
(assert (! (<= 0 k0) :named |1: 0 <= k0|))
(assert (! (> 64 k0) :named |2: 64 > k0|))
(assert (! (<= 0 q_u) :named |3: 0 <= q_u|))
(assert (! (> 8 q_u) :named |4: 8 > q_u|))
(assert (! true :named |5: true|))
(assert (! (not (=> true (and true true (= 0 0) (= q_u q_u) (= k0 k0)))) :named |denied: true implies true and true and 0 = 0 and q_u = q_u and k0 = k0|))
(check-sat)
(pop 1)

; program of store_f32 acc_5 -> O: source and destination have one element type
;   decided without a solver, from the structure alone

; program of store_f32 acc_5 -> O: every cell written inside q_us, d_us holds what the type of O says
; question 16
(push 1)
(set-info :status unsat)
(declare-fun q_us () Int)
(declare-fun d_us () Int)
(declare-fun l () Int)
(assert (! (<= 0 q_us) :named |1: 0 <= q_us|))
(assert (! (> 8 q_us) :named |2: 8 > q_us|))
(assert (! (<= 0 d_us) :named |3: 0 <= d_us|))
(assert (! (> 2 d_us) :named |4: 2 > d_us|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (not (=> true (and true true (= 0 0) (= q_us q_us) (= (+ l (* 16 d_us)) (+ l (* 16 d_us)))))) :named |denied: true implies true and true and 0 = 0 and q_us = q_us and l + 16*d_us = l + 16*d_us|))
(check-sat)
(pop 1)

; program of K_packed: every cell of K_packed that is read inside q0, d0, k_ub was written before
; question 17
(push 1)
(set-info :status unsat)
(declare-fun d0 () Int)
(declare-fun k_ub () Int)
(declare-fun l () Int)
(assert (! (<= 0 d0) :named |1: 0 <= d0|))
(assert (! (> 32 d0) :named |2: 32 > d0|))
(assert (! (<= 0 k_ub) :named |3: 0 <= k_ub|))
(assert (! (> 4 k_ub) :named |4: 4 > k_ub|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! true :named |8: true|))
(assert (! (not (and (<= 0 k_ub) (> 4 k_ub) (<= 0 d0) (> 32 d0) (<= 0 l) (> 16 l) (= d0 d0) (= k_ub k_ub) (= l l))) :named |denied: 0 <= k_ub and 4 > k_ub and 0 <= d0 and 32 > d0 and 0 <= l and 16 > l and d0 = d0 and k_ub = k...|))
(check-sat)
(pop 1)

; program of acc: every cell of acc that is read inside q0, q_us, k_us was written before
; question 18
(push 1)
(set-info :status unsat)
(declare-fun q_us () Int)
(declare-fun k_us () Int)
(declare-fun l () Int)
(assert (! (<= 0 q_us) :named |1: 0 <= q_us|))
(assert (! (> 4 q_us) :named |2: 4 > q_us|))
(assert (! (<= 0 k_us) :named |3: 0 <= k_us|))
(assert (! (> 4 k_us) :named |4: 4 > k_us|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! true :named |8: true|))
(assert (! (not (and (<= 0 q_us) (> 4 q_us) (<= 0 k_us) (> 4 k_us) (<= 0 l) (> 16 l) (= q_us q_us) (= k_us k_us) (= l l))) :named |denied: 0 <= q_us and 4 > q_us and 0 <= k_us and 4 > k_us and 0 <= l and 16 > l and q_us = q_us and k...|))
(check-sat)
(pop 1)

; program of acc_2: every cell of acc_2 that is read inside q_us was written before
; question 19
(push 1)
(set-info :status unsat)
(declare-fun q_us () Int)
(declare-fun l () Int)
(assert (! (<= 0 q_us) :named |1: 0 <= q_us|))
(assert (! (> 8 q_us) :named |2: 8 > q_us|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! true :named |6: true|))
(assert (! (not (and (<= 0 q_us) (> 8 q_us) (<= 0 l) (> 16 l) (= q_us q_us) (= l l))) :named |denied: 0 <= q_us and 8 > q_us and 0 <= l and 16 > l and q_us = q_us and l = l|))
(check-sat)
(pop 1)

; program of acc_3: every cell of acc_3 that is read inside q0, k_us was written before
; question 20
(push 1)
(set-info :status unsat)
(declare-fun k_us () Int)
(declare-fun l () Int)
(assert (! (<= 0 k_us) :named |1: 0 <= k_us|))
(assert (! (> 4 k_us) :named |2: 4 > k_us|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! true :named |6: true|))
(assert (! (not (and (<= 0 k_us) (> 4 k_us) (<= 0 l) (> 16 l) (= k_us k_us) (= l l))) :named |denied: 0 <= k_us and 4 > k_us and 0 <= l and 16 > l and k_us = k_us and l = l|))
(check-sat)
(pop 1)

; program of acc_4: every cell of acc_4 that is read inside q_us was written before
; question 21
(push 1)
(set-info :status unsat)
(declare-fun q_us () Int)
(declare-fun l () Int)
(assert (! (<= 0 q_us) :named |1: 0 <= q_us|))
(assert (! (> 8 q_us) :named |2: 8 > q_us|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! true :named |6: true|))
(assert (! (not (and (<= 0 q_us) (> 8 q_us) (<= 0 l) (> 16 l) (= q_us q_us) (= l l))) :named |denied: 0 <= q_us and 8 > q_us and 0 <= l and 16 > l and q_us = q_us and l = l|))
(check-sat)
(pop 1)

; program of acc_5: every cell of acc_5 that is read inside q_us, d_us was written before
; question 22
(push 1)
(set-info :status unsat)
(declare-fun q_us () Int)
(declare-fun d_us () Int)
(declare-fun l () Int)
(assert (! (<= 0 q_us) :named |1: 0 <= q_us|))
(assert (! (> 8 q_us) :named |2: 8 > q_us|))
(assert (! (<= 0 d_us) :named |3: 0 <= d_us|))
(assert (! (> 2 d_us) :named |4: 2 > d_us|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! true :named |8: true|))
(assert (! (not (and (<= 0 q_us) (> 8 q_us) (<= 0 d_us) (> 2 d_us) (<= 0 l) (> 16 l) (= q_us q_us) (= d_us d_us) (= l l))) :named |denied: 0 <= q_us and 8 > q_us and 0 <= d_us and 2 > d_us and 0 <= l and 16 > l and q_us = q_us and d...|))
(check-sat)
(pop 1)

; program of acc: every cell of acc that is read inside q0, d0, q_u, k_u was written before
; question 23
(push 1)
(set-info :status unsat)
(declare-fun q_u () Int)
(declare-fun k_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 q_u) :named |1: 0 <= q_u|))
(assert (! (> 4 q_u) :named |2: 4 > q_u|))
(assert (! (<= 0 k_u) :named |3: 0 <= k_u|))
(assert (! (> 4 k_u) :named |4: 4 > k_u|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! true :named |8: true|))
(assert (! (not (and (<= 0 q_u) (> 4 q_u) (<= 0 k_u) (> 4 k_u) (<= 0 l) (> 16 l) (= q_u q_u) (= k_u k_u) (= l l))) :named |denied: 0 <= q_u and 4 > q_u and 0 <= k_u and 4 > k_u and 0 <= l and 16 > l and q_u = q_u and k_u = k...|))
(check-sat)
(pop 1)

; program of a_r: every cell of a_r that is read inside q0, d0, q_u, k_u was written before
; question 24
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! true :named |3: true|))
(assert (! true :named |4: true|))
(assert (! (not (and (<= 0 l) (> 16 l) (= l l))) :named |denied: 0 <= l and 16 > l and l = l|))
(check-sat)
(pop 1)

; program of b_r: every cell of b_r that is read inside q0, d0, q_u, k_u was written before
; question 25
(push 1)
(set-info :status unsat)
(declare-fun k_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 k_u) :named |1: 0 <= k_u|))
(assert (! (> 4 k_u) :named |2: 4 > k_u|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! true :named |6: true|))
(assert (! (not (and (<= 0 k_u) (> 4 k_u) (<= 0 l) (> 16 l) (= k_u k_u) (= l l))) :named |denied: 0 <= k_u and 4 > k_u and 0 <= l and 16 > l and k_u = k_u and l = l|))
(check-sat)
(pop 1)

; program of acc_2: every cell of acc_2 that is read inside k_step0, q_u was written before
; question 26
(push 1)
(set-info :status unsat)
(declare-fun q_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 q_u) :named |1: 0 <= q_u|))
(assert (! (> 8 q_u) :named |2: 8 > q_u|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! true :named |6: true|))
(assert (! (not (and (<= 0 q_u) (> 8 q_u) (<= 0 l) (> 16 l) (= q_u q_u) (= l l))) :named |denied: 0 <= q_u and 8 > q_u and 0 <= l and 16 > l and q_u = q_u and l = l|))
(check-sat)
(pop 1)

; program of x0_r_2: every cell of x0_r_2 that is read inside k_step0, q_u was written before
; question 27
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! true :named |3: true|))
(assert (! true :named |4: true|))
(assert (! (not (and (<= 0 l) (> 16 l) (= l l))) :named |denied: 0 <= l and 16 > l and l = l|))
(check-sat)
(pop 1)

; program of acc_3: every cell of acc_3 that is read inside q0, k_u was written before
; question 28
(push 1)
(set-info :status unsat)
(declare-fun k_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 k_u) :named |1: 0 <= k_u|))
(assert (! (> 4 k_u) :named |2: 4 > k_u|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! true :named |6: true|))
(assert (! (not (and (<= 0 k_u) (> 4 k_u) (<= 0 l) (> 16 l) (= k_u k_u) (= l l))) :named |denied: 0 <= k_u and 4 > k_u and 0 <= l and 16 > l and k_u = k_u and l = l|))
(check-sat)
(pop 1)

; program of x0_r_3: every cell of x0_r_3 that is read inside q0, k_u was written before
; question 29
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! true :named |3: true|))
(assert (! true :named |4: true|))
(assert (! (not (and (<= 0 l) (> 16 l) (= l l))) :named |denied: 0 <= l and 16 > l and l = l|))
(check-sat)
(pop 1)

; program of x1_r_3: every cell of x1_r_3 that is read inside q0, k_u was written before
; question 30
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! true :named |3: true|))
(assert (! true :named |4: true|))
(assert (! (not (and (<= 0 l) (> 16 l) (= l l))) :named |denied: 0 <= l and 16 > l and l = l|))
(check-sat)
(pop 1)

; program of x2_r_3: every cell of x2_r_3 that is read inside q0, k_u was written before
; question 31
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! true :named |3: true|))
(assert (! true :named |4: true|))
(assert (! (not (and (<= 0 l) (> 16 l) (= l l))) :named |denied: 0 <= l and 16 > l and l = l|))
(check-sat)
(pop 1)

; program of acc_4: every cell of acc_4 that is read inside k_step_0, q_u was written before
; question 32
(push 1)
(set-info :status unsat)
(declare-fun q_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 q_u) :named |1: 0 <= q_u|))
(assert (! (> 8 q_u) :named |2: 8 > q_u|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! true :named |6: true|))
(assert (! (not (and (<= 0 q_u) (> 8 q_u) (<= 0 l) (> 16 l) (= q_u q_u) (= l l))) :named |denied: 0 <= q_u and 8 > q_u and 0 <= l and 16 > l and q_u = q_u and l = l|))
(check-sat)
(pop 1)

; program of x0_r_4: every cell of x0_r_4 that is read inside k_step_0, q_u was written before
; question 33
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! true :named |3: true|))
(assert (! true :named |4: true|))
(assert (! (not (and (<= 0 l) (> 16 l) (= l l))) :named |denied: 0 <= l and 16 > l and l = l|))
(check-sat)
(pop 1)

; program of acc_5: every cell of acc_5 that is read inside k0, q_u, d_u was written before
; question 34
(push 1)
(set-info :status unsat)
(declare-fun q_u () Int)
(declare-fun d_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 q_u) :named |1: 0 <= q_u|))
(assert (! (> 8 q_u) :named |2: 8 > q_u|))
(assert (! (<= 0 d_u) :named |3: 0 <= d_u|))
(assert (! (> 2 d_u) :named |4: 2 > d_u|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! true :named |8: true|))
(assert (! (not (and (<= 0 q_u) (> 8 q_u) (<= 0 d_u) (> 2 d_u) (<= 0 l) (> 16 l) (= q_u q_u) (= d_u d_u) (= l l))) :named |denied: 0 <= q_u and 8 > q_u and 0 <= d_u and 2 > d_u and 0 <= l and 16 > l and q_u = q_u and d_u = d...|))
(check-sat)
(pop 1)

; program of a_r_5: every cell of a_r_5 that is read inside k0, q_u, d_u was written before
; question 35
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! true :named |3: true|))
(assert (! true :named |4: true|))
(assert (! (not (and (<= 0 l) (> 16 l) (= l l))) :named |denied: 0 <= l and 16 > l and l = l|))
(check-sat)
(pop 1)

; program of b_r_5: every cell of b_r_5 that is read inside k0, q_u, d_u was written before
; question 36
(push 1)
(set-info :status unsat)
(declare-fun d_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 d_u) :named |1: 0 <= d_u|))
(assert (! (> 2 d_u) :named |2: 2 > d_u|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! true :named |6: true|))
(assert (! (not (and (<= 0 d_u) (> 2 d_u) (<= 0 l) (> 16 l) (= d_u d_u) (= l l))) :named |denied: 0 <= d_u and 2 > d_u and 0 <= l and 16 > l and d_u = d_u and l = l|))
(check-sat)
(pop 1)

; program of acc: acc holds S
;   decided without a solver, from the structure alone

; program of acc: the accumulator cell inside q0, d0, q_u, k_u stands for the output of its point
; question 37
(push 1)
(set-info :status unsat)
(declare-fun q0 () Int)
(declare-fun q_u () Int)
(declare-fun k_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 q0) :named |1: 0 <= q0|))
(assert (! (> 2 q0) :named |2: 2 > q0|))
(assert (! (<= 0 q_u) :named |3: 0 <= q_u|))
(assert (! (> 4 q_u) :named |4: 4 > q_u|))
(assert (! (<= 0 k_u) :named |5: 0 <= k_u|))
(assert (! (> 4 k_u) :named |6: 4 > k_u|))
(assert (! (<= 0 l) :named |7: 0 <= l|))
(assert (! (> 16 l) :named |8: 16 > l|))
(assert (! true :named |9: true|))
(assert (! (<= 0 0) :named |10: 0 <= 0|))
(assert (! (< 0 1) :named |11: 0 < 1|))
(assert (! (<= 0 (+ q_u (* 4 q0))) :named |12: 0 <= q_u + 4*q0|))
(assert (! (> 8 (+ q_u (* 4 q0))) :named |13: 8 > q_u + 4*q0|))
(assert (! (<= 0 (+ l (* 16 k_u))) :named |14: 0 <= l + 16*k_u|))
(assert (! (> 64 (+ l (* 16 k_u))) :named |15: 64 > l + 16*k_u|))
(assert (! (not (and (= 0 0) (= (+ q_u (* 4 q0)) (+ q_u (* 4 q0))) (= (+ l (* 16 k_u)) (+ l (* 16 k_u))))) :named |denied: 0 = 0 and q_u + 4*q0 = q_u + 4*q0 and l + 16*k_u = l + 16*k_u|))
(check-sat)
(pop 1)

; program of a_r: a_r holds Q
;   decided without a solver, from the structure alone

; program of a_r: a_r inside q0, d0, q_u, k_u holds Q[h, q, d] of its point
; question 38
(push 1)
(set-info :status unsat)
(declare-fun q0 () Int)
(declare-fun d0 () Int)
(declare-fun q_u () Int)
(assert (! (<= 0 q0) :named |1: 0 <= q0|))
(assert (! (> 2 q0) :named |2: 2 > q0|))
(assert (! (<= 0 d0) :named |3: 0 <= d0|))
(assert (! (> 32 d0) :named |4: 32 > d0|))
(assert (! (<= 0 q_u) :named |5: 0 <= q_u|))
(assert (! (> 4 q_u) :named |6: 4 > q_u|))
(assert (! true :named |7: true|))
(assert (! (<= 0 0) :named |8: 0 <= 0|))
(assert (! (< 0 1) :named |9: 0 < 1|))
(assert (! (<= 0 (+ q_u (* 4 q0))) :named |10: 0 <= q_u + 4*q0|))
(assert (! (> 8 (+ q_u (* 4 q0))) :named |11: 8 > q_u + 4*q0|))
(assert (! (<= 0 d0) :named |12: 0 <= d0|))
(assert (! (> 32 d0) :named |13: 32 > d0|))
(assert (! (not (and true (= 0 0) (= (+ q_u (* 4 q0)) (+ q_u (* 4 q0))) (= d0 d0))) :named |denied: true and 0 = 0 and q_u + 4*q0 = q_u + 4*q0 and d0 = d0|))
(check-sat)
(pop 1)

; program of b_r: b_r holds K
;   decided without a solver, from the structure alone

; program of b_r: b_r inside q0, d0, q_u, k_u holds K[h, k, d] of its point
; question 39
(push 1)
(set-info :status unsat)
(declare-fun d0 () Int)
(declare-fun k_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 d0) :named |1: 0 <= d0|))
(assert (! (> 32 d0) :named |2: 32 > d0|))
(assert (! (<= 0 k_u) :named |3: 0 <= k_u|))
(assert (! (> 4 k_u) :named |4: 4 > k_u|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (<= 0 0) :named |8: 0 <= 0|))
(assert (! (< 0 1) :named |9: 0 < 1|))
(assert (! (<= 0 (+ l (* 16 k_u))) :named |10: 0 <= l + 16*k_u|))
(assert (! (> 64 (+ l (* 16 k_u))) :named |11: 64 > l + 16*k_u|))
(assert (! (<= 0 d0) :named |12: 0 <= d0|))
(assert (! (> 32 d0) :named |13: 32 > d0|))
(assert (! (not (and true (= 0 0) (= (+ l (* 16 k_u)) (+ l (* 16 k_u))) (= d0 d0))) :named |denied: true and 0 = 0 and l + 16*k_u = l + 16*k_u and d0 = d0|))
(check-sat)
(pop 1)

; program of acc_2: acc_2 holds M_sums
;   decided without a solver, from the structure alone

; program of acc_2: the accumulator cell inside k_step0, q_u stands for the output of its point
; question 40
(push 1)
(set-info :status unsat)
(declare-fun q_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 q_u) :named |1: 0 <= q_u|))
(assert (! (> 8 q_u) :named |2: 8 > q_u|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! (<= 0 0) :named |6: 0 <= 0|))
(assert (! (< 0 1) :named |7: 0 < 1|))
(assert (! (<= 0 q_u) :named |8: 0 <= q_u|))
(assert (! (> 8 q_u) :named |9: 8 > q_u|))
(assert (! (<= 0 l) :named |10: 0 <= l|))
(assert (! (> 16 l) :named |11: 16 > l|))
(assert (! (not (and (= 0 0) (= q_u q_u) (= l l))) :named |denied: 0 = 0 and q_u = q_u and l = l|))
(check-sat)
(pop 1)

; program of x0_r_2: x0_r_2 holds S
;   decided without a solver, from the structure alone

; program of x0_r_2: x0_r_2 inside k_step0, q_u holds S[h, q, k_part + 16*k_step] of its point
; question 41
(push 1)
(set-info :status unsat)
(declare-fun k_step0 () Int)
(declare-fun q_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 k_step0) :named |1: 0 <= k_step0|))
(assert (! (> 4 k_step0) :named |2: 4 > k_step0|))
(assert (! (<= 0 q_u) :named |3: 0 <= q_u|))
(assert (! (> 8 q_u) :named |4: 8 > q_u|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (<= 0 0) :named |8: 0 <= 0|))
(assert (! (< 0 1) :named |9: 0 < 1|))
(assert (! (<= 0 q_u) :named |10: 0 <= q_u|))
(assert (! (> 8 q_u) :named |11: 8 > q_u|))
(assert (! (<= 0 l) :named |12: 0 <= l|))
(assert (! (> 16 l) :named |13: 16 > l|))
(assert (! (<= 0 k_step0) :named |14: 0 <= k_step0|))
(assert (! (> 4 k_step0) :named |15: 4 > k_step0|))
(assert (! (not (and true (= 0 0) (= q_u q_u) (= (+ l (* 16 k_step0)) (+ l (* 16 k_step0))))) :named |denied: true and 0 = 0 and q_u = q_u and l + 16*k_step0 = l + 16*k_step0|))
(check-sat)
(pop 1)

; program of M: M holds M
;   decided without a solver, from the structure alone

; program of M: the accumulator cell inside h_e3, q_e3 stands for the output of its point
; question 42
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e3) :named |6: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |7: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |8: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |9: 8 > q_e3|))
(assert (! (not (and (= h_e3 h_e3) (= q_e3 q_e3))) :named |denied: h_e3 = h_e3 and q_e3 = q_e3|))
(check-sat)
(pop 1)

; program of statement 3: it computes statement 3
;   decided without a solver, from the structure alone

; program of M: M has the type of M
;   decided without a solver, from the structure alone

; program of M_sums: M_sums has the type of M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums has the type of M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums has the type of M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums has the type of M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums has the type of M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums has the type of M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums has the type of M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums has the type of M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums has the type of M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums has the type of M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums has the type of M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums has the type of M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums has the type of M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums has the type of M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums has the type of M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums has the type of M_sums
;   decided without a solver, from the structure alone

; program of M: the accumulator cell inside h_e3, q_e3 stands for the output of its point, and is live
; question 43
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not true) :named |denied: true|))
(check-sat)
(pop 1)

; program of M_sums: M_sums holds M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums inside h_e3, q_e3 holds M_sums[h, q, 0] of its point
; question 44
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e3) :named |6: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |7: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |8: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |9: 8 > q_e3|))
(assert (! (not (and true (= h_e3 h_e3) (= q_e3 q_e3) (= 0 0))) :named |denied: true and h_e3 = h_e3 and q_e3 = q_e3 and 0 = 0|))
(check-sat)
(pop 1)

; program of M_sums: M_sums holds M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums inside h_e3, q_e3 holds M_sums[h, q, 8] of its point
; question 45
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e3) :named |6: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |7: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |8: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |9: 8 > q_e3|))
(assert (! (not (and true (= h_e3 h_e3) (= q_e3 q_e3) (= 8 8))) :named |denied: true and h_e3 = h_e3 and q_e3 = q_e3 and 8 = 8|))
(check-sat)
(pop 1)

; program of M_sums: M_sums holds M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums inside h_e3, q_e3 holds M_sums[h, q, 4] of its point
; question 46
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e3) :named |6: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |7: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |8: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |9: 8 > q_e3|))
(assert (! (not (and true (= h_e3 h_e3) (= q_e3 q_e3) (= 4 4))) :named |denied: true and h_e3 = h_e3 and q_e3 = q_e3 and 4 = 4|))
(check-sat)
(pop 1)

; program of M_sums: M_sums holds M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums inside h_e3, q_e3 holds M_sums[h, q, 12] of its point
; question 47
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e3) :named |6: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |7: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |8: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |9: 8 > q_e3|))
(assert (! (not (and true (= h_e3 h_e3) (= q_e3 q_e3) (= 12 12))) :named |denied: true and h_e3 = h_e3 and q_e3 = q_e3 and 12 = 12|))
(check-sat)
(pop 1)

; program of M_sums: M_sums holds M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums inside h_e3, q_e3 holds M_sums[h, q, 2] of its point
; question 48
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e3) :named |6: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |7: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |8: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |9: 8 > q_e3|))
(assert (! (not (and true (= h_e3 h_e3) (= q_e3 q_e3) (= 2 2))) :named |denied: true and h_e3 = h_e3 and q_e3 = q_e3 and 2 = 2|))
(check-sat)
(pop 1)

; program of M_sums: M_sums holds M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums inside h_e3, q_e3 holds M_sums[h, q, 10] of its point
; question 49
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e3) :named |6: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |7: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |8: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |9: 8 > q_e3|))
(assert (! (not (and true (= h_e3 h_e3) (= q_e3 q_e3) (= 10 10))) :named |denied: true and h_e3 = h_e3 and q_e3 = q_e3 and 10 = 10|))
(check-sat)
(pop 1)

; program of M_sums: M_sums holds M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums inside h_e3, q_e3 holds M_sums[h, q, 6] of its point
; question 50
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e3) :named |6: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |7: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |8: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |9: 8 > q_e3|))
(assert (! (not (and true (= h_e3 h_e3) (= q_e3 q_e3) (= 6 6))) :named |denied: true and h_e3 = h_e3 and q_e3 = q_e3 and 6 = 6|))
(check-sat)
(pop 1)

; program of M_sums: M_sums holds M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums inside h_e3, q_e3 holds M_sums[h, q, 14] of its point
; question 51
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e3) :named |6: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |7: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |8: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |9: 8 > q_e3|))
(assert (! (not (and true (= h_e3 h_e3) (= q_e3 q_e3) (= 14 14))) :named |denied: true and h_e3 = h_e3 and q_e3 = q_e3 and 14 = 14|))
(check-sat)
(pop 1)

; program of M_sums: M_sums holds M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums inside h_e3, q_e3 holds M_sums[h, q, 1] of its point
; question 52
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e3) :named |6: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |7: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |8: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |9: 8 > q_e3|))
(assert (! (not (and true (= h_e3 h_e3) (= q_e3 q_e3) (= 1 1))) :named |denied: true and h_e3 = h_e3 and q_e3 = q_e3 and 1 = 1|))
(check-sat)
(pop 1)

; program of M_sums: M_sums holds M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums inside h_e3, q_e3 holds M_sums[h, q, 9] of its point
; question 53
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e3) :named |6: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |7: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |8: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |9: 8 > q_e3|))
(assert (! (not (and true (= h_e3 h_e3) (= q_e3 q_e3) (= 9 9))) :named |denied: true and h_e3 = h_e3 and q_e3 = q_e3 and 9 = 9|))
(check-sat)
(pop 1)

; program of M_sums: M_sums holds M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums inside h_e3, q_e3 holds M_sums[h, q, 5] of its point
; question 54
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e3) :named |6: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |7: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |8: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |9: 8 > q_e3|))
(assert (! (not (and true (= h_e3 h_e3) (= q_e3 q_e3) (= 5 5))) :named |denied: true and h_e3 = h_e3 and q_e3 = q_e3 and 5 = 5|))
(check-sat)
(pop 1)

; program of M_sums: M_sums holds M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums inside h_e3, q_e3 holds M_sums[h, q, 13] of its point
; question 55
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e3) :named |6: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |7: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |8: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |9: 8 > q_e3|))
(assert (! (not (and true (= h_e3 h_e3) (= q_e3 q_e3) (= 13 13))) :named |denied: true and h_e3 = h_e3 and q_e3 = q_e3 and 13 = 13|))
(check-sat)
(pop 1)

; program of M_sums: M_sums holds M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums inside h_e3, q_e3 holds M_sums[h, q, 3] of its point
; question 56
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e3) :named |6: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |7: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |8: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |9: 8 > q_e3|))
(assert (! (not (and true (= h_e3 h_e3) (= q_e3 q_e3) (= 3 3))) :named |denied: true and h_e3 = h_e3 and q_e3 = q_e3 and 3 = 3|))
(check-sat)
(pop 1)

; program of M_sums: M_sums holds M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums inside h_e3, q_e3 holds M_sums[h, q, 11] of its point
; question 57
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e3) :named |6: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |7: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |8: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |9: 8 > q_e3|))
(assert (! (not (and true (= h_e3 h_e3) (= q_e3 q_e3) (= 11 11))) :named |denied: true and h_e3 = h_e3 and q_e3 = q_e3 and 11 = 11|))
(check-sat)
(pop 1)

; program of M_sums: M_sums holds M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums inside h_e3, q_e3 holds M_sums[h, q, 7] of its point
; question 58
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e3) :named |6: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |7: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |8: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |9: 8 > q_e3|))
(assert (! (not (and true (= h_e3 h_e3) (= q_e3 q_e3) (= 7 7))) :named |denied: true and h_e3 = h_e3 and q_e3 = q_e3 and 7 = 7|))
(check-sat)
(pop 1)

; program of M_sums: M_sums holds M_sums
;   decided without a solver, from the structure alone

; program of M_sums: M_sums inside h_e3, q_e3 holds M_sums[h, q, 15] of its point
; question 59
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e3) :named |6: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |7: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |8: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |9: 8 > q_e3|))
(assert (! (not (and true (= h_e3 h_e3) (= q_e3 q_e3) (= 15 15))) :named |denied: true and h_e3 = h_e3 and q_e3 = q_e3 and 15 = 15|))
(check-sat)
(pop 1)

; program of acc_3: acc_3 holds E
;   decided without a solver, from the structure alone

; program of acc_3: the accumulator cell inside q0, k_u stands for the output of its point
; question 60
(push 1)
(set-info :status unsat)
(declare-fun q0 () Int)
(declare-fun k_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 q0) :named |1: 0 <= q0|))
(assert (! (> 8 q0) :named |2: 8 > q0|))
(assert (! (<= 0 k_u) :named |3: 0 <= k_u|))
(assert (! (> 4 k_u) :named |4: 4 > k_u|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (<= 0 0) :named |8: 0 <= 0|))
(assert (! (< 0 1) :named |9: 0 < 1|))
(assert (! (<= 0 q0) :named |10: 0 <= q0|))
(assert (! (> 8 q0) :named |11: 8 > q0|))
(assert (! (<= 0 (+ l (* 16 k_u))) :named |12: 0 <= l + 16*k_u|))
(assert (! (> 64 (+ l (* 16 k_u))) :named |13: 64 > l + 16*k_u|))
(assert (! (not (and (= 0 0) (= q0 q0) (= (+ l (* 16 k_u)) (+ l (* 16 k_u))))) :named |denied: 0 = 0 and q0 = q0 and l + 16*k_u = l + 16*k_u|))
(check-sat)
(pop 1)

; program of x0_r_3: x0_r_3 holds S
;   decided without a solver, from the structure alone

; program of x0_r_3: x0_r_3 inside q0, k_u holds S[h, q, k] of its point
; question 61
(push 1)
(set-info :status unsat)
(declare-fun q0 () Int)
(declare-fun k_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 q0) :named |1: 0 <= q0|))
(assert (! (> 8 q0) :named |2: 8 > q0|))
(assert (! (<= 0 k_u) :named |3: 0 <= k_u|))
(assert (! (> 4 k_u) :named |4: 4 > k_u|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (<= 0 0) :named |8: 0 <= 0|))
(assert (! (< 0 1) :named |9: 0 < 1|))
(assert (! (<= 0 q0) :named |10: 0 <= q0|))
(assert (! (> 8 q0) :named |11: 8 > q0|))
(assert (! (<= 0 (+ l (* 16 k_u))) :named |12: 0 <= l + 16*k_u|))
(assert (! (> 64 (+ l (* 16 k_u))) :named |13: 64 > l + 16*k_u|))
(assert (! (not (and true (= 0 0) (= q0 q0) (= (+ l (* 16 k_u)) (+ l (* 16 k_u))))) :named |denied: true and 0 = 0 and q0 = q0 and l + 16*k_u = l + 16*k_u|))
(check-sat)
(pop 1)

; program of x1_r_3: x1_r_3 holds M
;   decided without a solver, from the structure alone

; program of x1_r_3: x1_r_3 inside q0, k_u holds M[h, q] of its point
; question 62
(push 1)
(set-info :status unsat)
(declare-fun q0 () Int)
(assert (! (<= 0 q0) :named |1: 0 <= q0|))
(assert (! (> 8 q0) :named |2: 8 > q0|))
(assert (! true :named |3: true|))
(assert (! (<= 0 0) :named |4: 0 <= 0|))
(assert (! (< 0 1) :named |5: 0 < 1|))
(assert (! (<= 0 q0) :named |6: 0 <= q0|))
(assert (! (> 8 q0) :named |7: 8 > q0|))
(assert (! (not (and true (= 0 0) (= q0 q0))) :named |denied: true and 0 = 0 and q0 = q0|))
(check-sat)
(pop 1)

; program of x2_r_3: x2_r_3 holds z
;   decided without a solver, from the structure alone

; program of x2_r_3: x2_r_3 inside q0, k_u holds z[] of its point
; question 63
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (<= 0 0) :named |2: 0 <= 0|))
(assert (! (< 0 1) :named |3: 0 < 1|))
(assert (! (not true) :named |denied: true|))
(check-sat)
(pop 1)

; program of acc_4: acc_4 holds D_sums
;   decided without a solver, from the structure alone

; program of acc_4: the accumulator cell inside k_step_0, q_u stands for the output of its point
; question 64
(push 1)
(set-info :status unsat)
(declare-fun q_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 q_u) :named |1: 0 <= q_u|))
(assert (! (> 8 q_u) :named |2: 8 > q_u|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! (<= 0 0) :named |6: 0 <= 0|))
(assert (! (< 0 1) :named |7: 0 < 1|))
(assert (! (<= 0 q_u) :named |8: 0 <= q_u|))
(assert (! (> 8 q_u) :named |9: 8 > q_u|))
(assert (! (<= 0 l) :named |10: 0 <= l|))
(assert (! (> 16 l) :named |11: 16 > l|))
(assert (! (not (and (= 0 0) (= q_u q_u) (= l l))) :named |denied: 0 = 0 and q_u = q_u and l = l|))
(check-sat)
(pop 1)

; program of x0_r_4: x0_r_4 holds E
;   decided without a solver, from the structure alone

; program of x0_r_4: x0_r_4 inside k_step_0, q_u holds E[h, q, k_part_ + 16*k_step_] of its point
; question 65
(push 1)
(set-info :status unsat)
(declare-fun k_step_0 () Int)
(declare-fun q_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 k_step_0) :named |1: 0 <= k_step_0|))
(assert (! (> 4 k_step_0) :named |2: 4 > k_step_0|))
(assert (! (<= 0 q_u) :named |3: 0 <= q_u|))
(assert (! (> 8 q_u) :named |4: 8 > q_u|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (<= 0 0) :named |8: 0 <= 0|))
(assert (! (< 0 1) :named |9: 0 < 1|))
(assert (! (<= 0 q_u) :named |10: 0 <= q_u|))
(assert (! (> 8 q_u) :named |11: 8 > q_u|))
(assert (! (<= 0 l) :named |12: 0 <= l|))
(assert (! (> 16 l) :named |13: 16 > l|))
(assert (! (<= 0 k_step_0) :named |14: 0 <= k_step_0|))
(assert (! (> 4 k_step_0) :named |15: 4 > k_step_0|))
(assert (! (not (and true (= 0 0) (= q_u q_u) (= (+ l (* 16 k_step_0)) (+ l (* 16 k_step_0))))) :named |denied: true and 0 = 0 and q_u = q_u and l + 16*k_step_0 = l + 16*k_step_0|))
(check-sat)
(pop 1)

; program of D: D holds D
;   decided without a solver, from the structure alone

; program of D: the accumulator cell inside h_e6, q_e6 stands for the output of its point
; question 66
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e6) :named |6: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |7: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |8: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |9: 8 > q_e6|))
(assert (! (not (and (= h_e6 h_e6) (= q_e6 q_e6))) :named |denied: h_e6 = h_e6 and q_e6 = q_e6|))
(check-sat)
(pop 1)

; program of statement 6: it computes statement 6
;   decided without a solver, from the structure alone

; program of D: D has the type of D
;   decided without a solver, from the structure alone

; program of D_sums: D_sums has the type of D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums has the type of D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums has the type of D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums has the type of D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums has the type of D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums has the type of D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums has the type of D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums has the type of D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums has the type of D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums has the type of D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums has the type of D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums has the type of D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums has the type of D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums has the type of D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums has the type of D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums has the type of D_sums
;   decided without a solver, from the structure alone

; program of D: the accumulator cell inside h_e6, q_e6 stands for the output of its point, and is live
; question 67
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not true) :named |denied: true|))
(check-sat)
(pop 1)

; program of D_sums: D_sums holds D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums inside h_e6, q_e6 holds D_sums[h, q, 0] of its point
; question 68
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e6) :named |6: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |7: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |8: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |9: 8 > q_e6|))
(assert (! (not (and true (= h_e6 h_e6) (= q_e6 q_e6) (= 0 0))) :named |denied: true and h_e6 = h_e6 and q_e6 = q_e6 and 0 = 0|))
(check-sat)
(pop 1)

; program of D_sums: D_sums holds D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums inside h_e6, q_e6 holds D_sums[h, q, 8] of its point
; question 69
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e6) :named |6: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |7: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |8: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |9: 8 > q_e6|))
(assert (! (not (and true (= h_e6 h_e6) (= q_e6 q_e6) (= 8 8))) :named |denied: true and h_e6 = h_e6 and q_e6 = q_e6 and 8 = 8|))
(check-sat)
(pop 1)

; program of D_sums: D_sums holds D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums inside h_e6, q_e6 holds D_sums[h, q, 4] of its point
; question 70
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e6) :named |6: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |7: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |8: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |9: 8 > q_e6|))
(assert (! (not (and true (= h_e6 h_e6) (= q_e6 q_e6) (= 4 4))) :named |denied: true and h_e6 = h_e6 and q_e6 = q_e6 and 4 = 4|))
(check-sat)
(pop 1)

; program of D_sums: D_sums holds D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums inside h_e6, q_e6 holds D_sums[h, q, 12] of its point
; question 71
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e6) :named |6: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |7: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |8: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |9: 8 > q_e6|))
(assert (! (not (and true (= h_e6 h_e6) (= q_e6 q_e6) (= 12 12))) :named |denied: true and h_e6 = h_e6 and q_e6 = q_e6 and 12 = 12|))
(check-sat)
(pop 1)

; program of D_sums: D_sums holds D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums inside h_e6, q_e6 holds D_sums[h, q, 2] of its point
; question 72
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e6) :named |6: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |7: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |8: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |9: 8 > q_e6|))
(assert (! (not (and true (= h_e6 h_e6) (= q_e6 q_e6) (= 2 2))) :named |denied: true and h_e6 = h_e6 and q_e6 = q_e6 and 2 = 2|))
(check-sat)
(pop 1)

; program of D_sums: D_sums holds D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums inside h_e6, q_e6 holds D_sums[h, q, 10] of its point
; question 73
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e6) :named |6: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |7: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |8: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |9: 8 > q_e6|))
(assert (! (not (and true (= h_e6 h_e6) (= q_e6 q_e6) (= 10 10))) :named |denied: true and h_e6 = h_e6 and q_e6 = q_e6 and 10 = 10|))
(check-sat)
(pop 1)

; program of D_sums: D_sums holds D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums inside h_e6, q_e6 holds D_sums[h, q, 6] of its point
; question 74
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e6) :named |6: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |7: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |8: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |9: 8 > q_e6|))
(assert (! (not (and true (= h_e6 h_e6) (= q_e6 q_e6) (= 6 6))) :named |denied: true and h_e6 = h_e6 and q_e6 = q_e6 and 6 = 6|))
(check-sat)
(pop 1)

; program of D_sums: D_sums holds D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums inside h_e6, q_e6 holds D_sums[h, q, 14] of its point
; question 75
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e6) :named |6: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |7: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |8: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |9: 8 > q_e6|))
(assert (! (not (and true (= h_e6 h_e6) (= q_e6 q_e6) (= 14 14))) :named |denied: true and h_e6 = h_e6 and q_e6 = q_e6 and 14 = 14|))
(check-sat)
(pop 1)

; program of D_sums: D_sums holds D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums inside h_e6, q_e6 holds D_sums[h, q, 1] of its point
; question 76
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e6) :named |6: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |7: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |8: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |9: 8 > q_e6|))
(assert (! (not (and true (= h_e6 h_e6) (= q_e6 q_e6) (= 1 1))) :named |denied: true and h_e6 = h_e6 and q_e6 = q_e6 and 1 = 1|))
(check-sat)
(pop 1)

; program of D_sums: D_sums holds D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums inside h_e6, q_e6 holds D_sums[h, q, 9] of its point
; question 77
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e6) :named |6: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |7: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |8: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |9: 8 > q_e6|))
(assert (! (not (and true (= h_e6 h_e6) (= q_e6 q_e6) (= 9 9))) :named |denied: true and h_e6 = h_e6 and q_e6 = q_e6 and 9 = 9|))
(check-sat)
(pop 1)

; program of D_sums: D_sums holds D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums inside h_e6, q_e6 holds D_sums[h, q, 5] of its point
; question 78
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e6) :named |6: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |7: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |8: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |9: 8 > q_e6|))
(assert (! (not (and true (= h_e6 h_e6) (= q_e6 q_e6) (= 5 5))) :named |denied: true and h_e6 = h_e6 and q_e6 = q_e6 and 5 = 5|))
(check-sat)
(pop 1)

; program of D_sums: D_sums holds D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums inside h_e6, q_e6 holds D_sums[h, q, 13] of its point
; question 79
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e6) :named |6: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |7: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |8: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |9: 8 > q_e6|))
(assert (! (not (and true (= h_e6 h_e6) (= q_e6 q_e6) (= 13 13))) :named |denied: true and h_e6 = h_e6 and q_e6 = q_e6 and 13 = 13|))
(check-sat)
(pop 1)

; program of D_sums: D_sums holds D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums inside h_e6, q_e6 holds D_sums[h, q, 3] of its point
; question 80
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e6) :named |6: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |7: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |8: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |9: 8 > q_e6|))
(assert (! (not (and true (= h_e6 h_e6) (= q_e6 q_e6) (= 3 3))) :named |denied: true and h_e6 = h_e6 and q_e6 = q_e6 and 3 = 3|))
(check-sat)
(pop 1)

; program of D_sums: D_sums holds D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums inside h_e6, q_e6 holds D_sums[h, q, 11] of its point
; question 81
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e6) :named |6: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |7: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |8: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |9: 8 > q_e6|))
(assert (! (not (and true (= h_e6 h_e6) (= q_e6 q_e6) (= 11 11))) :named |denied: true and h_e6 = h_e6 and q_e6 = q_e6 and 11 = 11|))
(check-sat)
(pop 1)

; program of D_sums: D_sums holds D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums inside h_e6, q_e6 holds D_sums[h, q, 7] of its point
; question 82
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e6) :named |6: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |7: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |8: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |9: 8 > q_e6|))
(assert (! (not (and true (= h_e6 h_e6) (= q_e6 q_e6) (= 7 7))) :named |denied: true and h_e6 = h_e6 and q_e6 = q_e6 and 7 = 7|))
(check-sat)
(pop 1)

; program of D_sums: D_sums holds D_sums
;   decided without a solver, from the structure alone

; program of D_sums: D_sums inside h_e6, q_e6 holds D_sums[h, q, 15] of its point
; question 83
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e6) :named |6: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |7: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |8: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |9: 8 > q_e6|))
(assert (! (not (and true (= h_e6 h_e6) (= q_e6 q_e6) (= 15 15))) :named |denied: true and h_e6 = h_e6 and q_e6 = q_e6 and 15 = 15|))
(check-sat)
(pop 1)

; program of acc_5: acc_5 holds O
;   decided without a solver, from the structure alone

; program of acc_5: the accumulator cell inside k0, q_u, d_u stands for the output of its point
; question 84
(push 1)
(set-info :status unsat)
(declare-fun q_u () Int)
(declare-fun d_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 q_u) :named |1: 0 <= q_u|))
(assert (! (> 8 q_u) :named |2: 8 > q_u|))
(assert (! (<= 0 d_u) :named |3: 0 <= d_u|))
(assert (! (> 2 d_u) :named |4: 2 > d_u|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (<= 0 0) :named |8: 0 <= 0|))
(assert (! (< 0 1) :named |9: 0 < 1|))
(assert (! (<= 0 q_u) :named |10: 0 <= q_u|))
(assert (! (> 8 q_u) :named |11: 8 > q_u|))
(assert (! (<= 0 (+ l (* 16 d_u))) :named |12: 0 <= l + 16*d_u|))
(assert (! (> 32 (+ l (* 16 d_u))) :named |13: 32 > l + 16*d_u|))
(assert (! (not (and (= 0 0) (= q_u q_u) (= (+ l (* 16 d_u)) (+ l (* 16 d_u))))) :named |denied: 0 = 0 and q_u = q_u and l + 16*d_u = l + 16*d_u|))
(check-sat)
(pop 1)

; program of a_r_5: a_r_5 holds E
;   decided without a solver, from the structure alone

; program of a_r_5: a_r_5 inside k0, q_u, d_u holds E[h, q, k] of its point
; question 85
(push 1)
(set-info :status unsat)
(declare-fun k0 () Int)
(declare-fun q_u () Int)
(assert (! (<= 0 k0) :named |1: 0 <= k0|))
(assert (! (> 64 k0) :named |2: 64 > k0|))
(assert (! (<= 0 q_u) :named |3: 0 <= q_u|))
(assert (! (> 8 q_u) :named |4: 8 > q_u|))
(assert (! true :named |5: true|))
(assert (! (<= 0 0) :named |6: 0 <= 0|))
(assert (! (< 0 1) :named |7: 0 < 1|))
(assert (! (<= 0 q_u) :named |8: 0 <= q_u|))
(assert (! (> 8 q_u) :named |9: 8 > q_u|))
(assert (! (<= 0 k0) :named |10: 0 <= k0|))
(assert (! (> 64 k0) :named |11: 64 > k0|))
(assert (! (not (and true (= 0 0) (= q_u q_u) (= k0 k0))) :named |denied: true and 0 = 0 and q_u = q_u and k0 = k0|))
(check-sat)
(pop 1)

; program of b_r_5: b_r_5 holds V
;   decided without a solver, from the structure alone

; program of b_r_5: b_r_5 inside k0, q_u, d_u holds V[h, k, d] of its point
; question 86
(push 1)
(set-info :status unsat)
(declare-fun k0 () Int)
(declare-fun d_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 k0) :named |1: 0 <= k0|))
(assert (! (> 64 k0) :named |2: 64 > k0|))
(assert (! (<= 0 d_u) :named |3: 0 <= d_u|))
(assert (! (> 2 d_u) :named |4: 2 > d_u|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (<= 0 0) :named |8: 0 <= 0|))
(assert (! (< 0 1) :named |9: 0 < 1|))
(assert (! (<= 0 (+ l (* 16 d_u))) :named |10: 0 <= l + 16*d_u|))
(assert (! (> 32 (+ l (* 16 d_u))) :named |11: 32 > l + 16*d_u|))
(assert (! (<= 0 k0) :named |12: 0 <= k0|))
(assert (! (> 64 k0) :named |13: 64 > k0|))
(assert (! (not (and true (= 0 0) (= k0 k0) (= (+ l (* 16 d_u)) (+ l (* 16 d_u))))) :named |denied: true and 0 = 0 and k0 = k0 and l + 16*d_u = l + 16*d_u|))
(check-sat)
(pop 1)

; program of Y: Y holds Y
;   decided without a solver, from the structure alone

; program of Y: the accumulator cell inside h_e8, q_e8, d_e8 stands for the output of its point
; question 87
(push 1)
(set-info :status unsat)
(declare-fun h_e8 () Int)
(declare-fun q_e8 () Int)
(declare-fun d_e8 () Int)
(assert (! (<= 0 h_e8) :named |1: 0 <= h_e8|))
(assert (! (> 1 h_e8) :named |2: 1 > h_e8|))
(assert (! (<= 0 q_e8) :named |3: 0 <= q_e8|))
(assert (! (> 8 q_e8) :named |4: 8 > q_e8|))
(assert (! (<= 0 d_e8) :named |5: 0 <= d_e8|))
(assert (! (> 32 d_e8) :named |6: 32 > d_e8|))
(assert (! true :named |7: true|))
(assert (! (<= 0 h_e8) :named |8: 0 <= h_e8|))
(assert (! (> 1 h_e8) :named |9: 1 > h_e8|))
(assert (! (<= 0 q_e8) :named |10: 0 <= q_e8|))
(assert (! (> 8 q_e8) :named |11: 8 > q_e8|))
(assert (! (<= 0 d_e8) :named |12: 0 <= d_e8|))
(assert (! (> 32 d_e8) :named |13: 32 > d_e8|))
(assert (! (not (and (= h_e8 h_e8) (= q_e8 q_e8) (= d_e8 d_e8))) :named |denied: h_e8 = h_e8 and q_e8 = q_e8 and d_e8 = d_e8|))
(check-sat)
(pop 1)

; program of statement 8: it computes statement 8
;   decided without a solver, from the structure alone

; program of Y: Y has the type of Y
;   decided without a solver, from the structure alone

; program of O: O has the type of O
;   decided without a solver, from the structure alone

; program of D: D has the type of D
;   decided without a solver, from the structure alone

; program of Y: the accumulator cell inside h_e8, q_e8, d_e8 stands for the output of its point, and is live
; question 88
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not true) :named |denied: true|))
(check-sat)
(pop 1)

; program of O: O holds O
;   decided without a solver, from the structure alone

; program of O: O inside h_e8, q_e8, d_e8 holds O[h, q, d] of its point
; question 89
(push 1)
(set-info :status unsat)
(declare-fun h_e8 () Int)
(declare-fun q_e8 () Int)
(declare-fun d_e8 () Int)
(assert (! (<= 0 h_e8) :named |1: 0 <= h_e8|))
(assert (! (> 1 h_e8) :named |2: 1 > h_e8|))
(assert (! (<= 0 q_e8) :named |3: 0 <= q_e8|))
(assert (! (> 8 q_e8) :named |4: 8 > q_e8|))
(assert (! (<= 0 d_e8) :named |5: 0 <= d_e8|))
(assert (! (> 32 d_e8) :named |6: 32 > d_e8|))
(assert (! true :named |7: true|))
(assert (! (<= 0 h_e8) :named |8: 0 <= h_e8|))
(assert (! (> 1 h_e8) :named |9: 1 > h_e8|))
(assert (! (<= 0 q_e8) :named |10: 0 <= q_e8|))
(assert (! (> 8 q_e8) :named |11: 8 > q_e8|))
(assert (! (<= 0 d_e8) :named |12: 0 <= d_e8|))
(assert (! (> 32 d_e8) :named |13: 32 > d_e8|))
(assert (! (not (and true (= h_e8 h_e8) (= q_e8 q_e8) (= d_e8 d_e8))) :named |denied: true and h_e8 = h_e8 and q_e8 = q_e8 and d_e8 = d_e8|))
(check-sat)
(pop 1)

; program of D: D holds D
;   decided without a solver, from the structure alone

; program of D: D inside h_e8, q_e8, d_e8 holds D[h, q] of its point
; question 90
(push 1)
(set-info :status unsat)
(declare-fun h_e8 () Int)
(declare-fun q_e8 () Int)
(assert (! (<= 0 h_e8) :named |1: 0 <= h_e8|))
(assert (! (> 1 h_e8) :named |2: 1 > h_e8|))
(assert (! (<= 0 q_e8) :named |3: 0 <= q_e8|))
(assert (! (> 8 q_e8) :named |4: 8 > q_e8|))
(assert (! true :named |5: true|))
(assert (! (<= 0 h_e8) :named |6: 0 <= h_e8|))
(assert (! (> 1 h_e8) :named |7: 1 > h_e8|))
(assert (! (<= 0 q_e8) :named |8: 0 <= q_e8|))
(assert (! (> 8 q_e8) :named |9: 8 > q_e8|))
(assert (! (not (and true (= h_e8 h_e8) (= q_e8 q_e8))) :named |denied: true and h_e8 = h_e8 and q_e8 = q_e8|))
(check-sat)
(pop 1)
