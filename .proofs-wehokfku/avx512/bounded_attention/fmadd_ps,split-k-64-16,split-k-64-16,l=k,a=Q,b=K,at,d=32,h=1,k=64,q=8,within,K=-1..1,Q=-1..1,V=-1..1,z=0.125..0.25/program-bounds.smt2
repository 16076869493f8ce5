(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_attention/fmadd_ps,split-k-64-16,split-k-64-16,l=k,a=Q,b=K,at,d=32,h=1,k=64,q=8,within,K=-1..1,Q=-1..1,V=-1..1,z=0.125..0.25
; claim: bounds
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; bounds of copy K -> K_packed: every element of K_packed that is written lies inside it
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
(assert (! (not (and (<= 0 c_d0) (> 32 c_d0) (<= 0 c_k_u) (> 4 c_k_u) (<= 0 c_l) (> 16 c_l))) :named |denied: 0 <= c_d0 and 32 > c_d0 and 0 <= c_k_u and 4 > c_k_u and 0 <= c_l and 16 > c_l|))
(check-sat)
(pop 1)

; bounds of copy K -> K_packed: every element of K that is read lies inside it
; question 2
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
(assert (! (not (and (<= 0 0) (< 0 1) (<= 0 (+ c_l (* 16 c_k_u))) (> 64 (+ c_l (* 16 c_k_u))) (<= 0 c_d0) (> 32 c_d0))) :named |denied: 0 <= 0 and 0 < 1 and 0 <= c_l + 16*c_k_u and 64 > c_l + 16*c_k_u and 0 <= c_d0 and 32 > c_d0|))
(check-sat)
(pop 1)

; bounds of zero_f32 0 -> acc: every element of acc that is written lies inside it
; question 3
(push 1)
(set-info :status unsat)
(declare-fun q_uz () Int)
(declare-fun k_uz () Int)
(declare-fun l () Int)
(assert (! (<= 0 q_uz) :named |1: 0 <= q_uz|))
(assert (! (> 4 q_uz) :named |2: 4 > q_uz|))
(assert (! (<= 0 k_uz) :named |3: 0 <= k_uz|))
(assert (! (> 4 k_uz) :named |4: 4 > k_uz|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (not (and (<= 0 q_uz) (> 4 q_uz) (<= 0 k_uz) (> 4 k_uz) (<= 0 l) (> 16 l))) :named |denied: 0 <= q_uz and 4 > q_uz and 0 <= k_uz and 4 > k_uz and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of load_f32 K_packed -> b_r: every element of b_r that is written lies inside it
; question 4
(push 1)
(set-info :status unsat)
(declare-fun k_ub () Int)
(declare-fun l () Int)
(assert (! (<= 0 k_ub) :named |1: 0 <= k_ub|))
(assert (! (> 4 k_ub) :named |2: 4 > k_ub|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 k_ub) (> 4 k_ub) (<= 0 l) (> 16 l))) :named |denied: 0 <= k_ub and 4 > k_ub and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of load_f32 K_packed -> b_r: every element of K_packed that is read lies inside it
; question 5
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
(assert (! (not (and (<= 0 d0) (> 32 d0) (<= 0 k_ub) (> 4 k_ub) (<= 0 l) (> 16 l))) :named |denied: 0 <= d0 and 32 > d0 and 0 <= k_ub and 4 > k_ub and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of broadcast_f32 Q -> a_r: every element of a_r that is written lies inside it
; question 6
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! true :named |3: true|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of broadcast_f32 Q -> a_r: every element of Q that is read lies inside it
; question 7
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
(assert (! (not (and (<= 0 0) (< 0 1) (<= 0 (+ q_u (* 4 q0))) (> 8 (+ q_u (* 4 q0))) (<= 0 d0) (> 32 d0))) :named |denied: 0 <= 0 and 0 < 1 and 0 <= q_u + 4*q0 and 8 > q_u + 4*q0 and 0 <= d0 and 32 > d0|))
(check-sat)
(pop 1)

; bounds of store_f32 acc -> S: every element of S that is written lies inside it
; question 8
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
(assert (! (not (and (<= 0 0) (< 0 1) (<= 0 (+ q_us (* 4 q0))) (> 8 (+ q_us (* 4 q0))) (<= 0 (+ l (* 16 k_us))) (> 64 (+ l (* 16 k_us))))) :named |denied: 0 <= 0 and 0 < 1 and 0 <= q_us + 4*q0 and 8 > q_us + 4*q0 and 0 <= l + 16*k_us and 64 > l + 1...|))
(check-sat)
(pop 1)

; bounds of store_f32 acc -> S: every element of acc that is read lies inside it
; question 9
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
(assert (! (not (and (<= 0 q_us) (> 4 q_us) (<= 0 k_us) (> 4 k_us) (<= 0 l) (> 16 l))) :named |denied: 0 <= q_us and 4 > q_us and 0 <= k_us and 4 > k_us and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of store_f32 acc -> S: only outputs of the kernel are written
;   decided without a solver, from the structure alone

; bounds of broadcast_f32_of_least 0 -> acc_2: every element of acc_2 that is written lies inside it
; question 10
(push 1)
(set-info :status unsat)
(declare-fun q_uz () Int)
(declare-fun l () Int)
(assert (! (<= 0 q_uz) :named |1: 0 <= q_uz|))
(assert (! (> 8 q_uz) :named |2: 8 > q_uz|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 q_uz) (> 8 q_uz) (<= 0 l) (> 16 l))) :named |denied: 0 <= q_uz and 8 > q_uz and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of load_f32 S -> x0_r_2: every element of x0_r_2 that is written lies inside it
; question 11
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! true :named |3: true|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of load_f32 S -> x0_r_2: every element of S that is read lies inside it
; question 12
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
(assert (! (not (and (<= 0 0) (< 0 1) (<= 0 q_u) (> 8 q_u) (<= 0 (+ l (* 16 k_step0))) (> 64 (+ l (* 16 k_step0))))) :named |denied: 0 <= 0 and 0 < 1 and 0 <= q_u and 8 > q_u and 0 <= l + 16*k_step0 and 64 > l + 16*k_step0|))
(check-sat)
(pop 1)

; bounds of store_f32 acc_2 -> M_sums: every element of M_sums that is written lies inside it
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
(assert (! (not (and (<= 0 0) (< 0 1) (<= 0 q_us) (> 8 q_us) (<= 0 l) (> 16 l))) :named |denied: 0 <= 0 and 0 < 1 and 0 <= q_us and 8 > q_us and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of store_f32 acc_2 -> M_sums: every element of acc_2 that is read lies inside it
; question 14
(push 1)
(set-info :status unsat)
(declare-fun q_us () Int)
(declare-fun l () Int)
(assert (! (<= 0 q_us) :named |1: 0 <= q_us|))
(assert (! (> 8 q_us) :named |2: 8 > q_us|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 q_us) (> 8 q_us) (<= 0 l) (> 16 l))) :named |denied: 0 <= q_us and 8 > q_us and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of store_f32 acc_2 -> M_sums: only outputs of the kernel are written
;   decided without a solver, from the structure alone

; bounds of load_f32 E -> acc_3: every element of acc_3 that is written lies inside it
; question 15
(push 1)
(set-info :status unsat)
(declare-fun k_ul () Int)
(declare-fun l () Int)
(assert (! (<= 0 k_ul) :named |1: 0 <= k_ul|))
(assert (! (> 4 k_ul) :named |2: 4 > k_ul|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 k_ul) (> 4 k_ul) (<= 0 l) (> 16 l))) :named |denied: 0 <= k_ul and 4 > k_ul and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of load_f32 E -> acc_3: every element of E that is read lies inside it
; question 16
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
(assert (! (not (and (<= 0 0) (< 0 1) (<= 0 q0) (> 8 q0) (<= 0 (+ l (* 16 k_ul))) (> 64 (+ l (* 16 k_ul))))) :named |denied: 0 <= 0 and 0 < 1 and 0 <= q0 and 8 > q0 and 0 <= l + 16*k_ul and 64 > l + 16*k_ul|))
(check-sat)
(pop 1)

; bounds of broadcast_f32 M -> x1_r_3: every element of x1_r_3 that is written lies inside it
; question 17
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! true :named |3: true|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of broadcast_f32 M -> x1_r_3: every element of M that is read lies inside it
; question 18
(push 1)
(set-info :status unsat)
(declare-fun q0 () Int)
(assert (! (<= 0 q0) :named |1: 0 <= q0|))
(assert (! (> 8 q0) :named |2: 8 > q0|))
(assert (! true :named |3: true|))
(assert (! (not (and (<= 0 0) (< 0 1) (<= 0 q0) (> 8 q0))) :named |denied: 0 <= 0 and 0 < 1 and 0 <= q0 and 8 > q0|))
(check-sat)
(pop 1)

; bounds of broadcast_f32 z -> x2_r_3: every element of x2_r_3 that is written lies inside it
; question 19
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! true :named |3: true|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of load_f32 S -> x0_r_3: every element of x0_r_3 that is written lies inside it
; question 20
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! true :named |3: true|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of load_f32 S -> x0_r_3: every element of S that is read lies inside it
; question 21
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
(assert (! (not (and (<= 0 0) (< 0 1) (<= 0 q0) (> 8 q0) (<= 0 (+ l (* 16 k_u))) (> 64 (+ l (* 16 k_u))))) :named |denied: 0 <= 0 and 0 < 1 and 0 <= q0 and 8 > q0 and 0 <= l + 16*k_u and 64 > l + 16*k_u|))
(check-sat)
(pop 1)

; bounds of store_f32 acc_3 -> E: every element of E that is written lies inside it
; question 22
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
(assert (! (not (and (<= 0 0) (< 0 1) (<= 0 q0) (> 8 q0) (<= 0 (+ l (* 16 k_us))) (> 64 (+ l (* 16 k_us))))) :named |denied: 0 <= 0 and 0 < 1 and 0 <= q0 and 8 > q0 and 0 <= l + 16*k_us and 64 > l + 16*k_us|))
(check-sat)
(pop 1)

; bounds of store_f32 acc_3 -> E: every element of acc_3 that is read lies inside it
; question 23
(push 1)
(set-info :status unsat)
(declare-fun k_us () Int)
(declare-fun l () Int)
(assert (! (<= 0 k_us) :named |1: 0 <= k_us|))
(assert (! (> 4 k_us) :named |2: 4 > k_us|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 k_us) (> 4 k_us) (<= 0 l) (> 16 l))) :named |denied: 0 <= k_us and 4 > k_us and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of store_f32 acc_3 -> E: only outputs of the kernel are written
;   decided without a solver, from the structure alone

; bounds of zero_f32 0 -> acc_4: every element of acc_4 that is written lies inside it
; question 24
(push 1)
(set-info :status unsat)
(declare-fun q_uz () Int)
(declare-fun l () Int)
(assert (! (<= 0 q_uz) :named |1: 0 <= q_uz|))
(assert (! (> 8 q_uz) :named |2: 8 > q_uz|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 q_uz) (> 8 q_uz) (<= 0 l) (> 16 l))) :named |denied: 0 <= q_uz and 8 > q_uz and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of load_f32 E -> x0_r_4: every element of x0_r_4 that is written lies inside it
; question 25
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! true :named |3: true|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of load_f32 E -> x0_r_4: every element of E that is read lies inside it
; question 26
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
(assert (! (not (and (<= 0 0) (< 0 1) (<= 0 q_u) (> 8 q_u) (<= 0 (+ l (* 16 k_step_0))) (> 64 (+ l (* 16 k_step_0))))) :named |denied: 0 <= 0 and 0 < 1 and 0 <= q_u and 8 > q_u and 0 <= l + 16*k_step_0 and 64 > l + 16*k_step_0|))
(check-sat)
(pop 1)

; bounds of store_f32 acc_4 -> D_sums: every element of D_sums that is written lies inside it
; question 27
(push 1)
(set-info :status unsat)
(declare-fun q_us () Int)
(declare-fun l () Int)
(assert (! (<= 0 q_us) :named |1: 0 <= q_us|))
(assert (! (> 8 q_us) :named |2: 8 > q_us|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 0) (< 0 1) (<= 0 q_us) (> 8 q_us) (<= 0 l) (> 16 l))) :named |denied: 0 <= 0 and 0 < 1 and 0 <= q_us and 8 > q_us and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of store_f32 acc_4 -> D_sums: every element of acc_4 that is read lies inside it
; question 28
(push 1)
(set-info :status unsat)
(declare-fun q_us () Int)
(declare-fun l () Int)
(assert (! (<= 0 q_us) :named |1: 0 <= q_us|))
(assert (! (> 8 q_us) :named |2: 8 > q_us|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 q_us) (> 8 q_us) (<= 0 l) (> 16 l))) :named |denied: 0 <= q_us and 8 > q_us and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of store_f32 acc_4 -> D_sums: only outputs of the kernel are written
;   decided without a solver, from the structure alone

; bounds of zero_f32 0 -> acc_5: every element of acc_5 that is written lies inside it
; question 29
(push 1)
(set-info :status unsat)
(declare-fun q_uz () Int)
(declare-fun d_uz () Int)
(declare-fun l () Int)
(assert (! (<= 0 q_uz) :named |1: 0 <= q_uz|))
(assert (! (> 8 q_uz) :named |2: 8 > q_uz|))
(assert (! (<= 0 d_uz) :named |3: 0 <= d_uz|))
(assert (! (> 2 d_uz) :named |4: 2 > d_uz|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (not (and (<= 0 q_uz) (> 8 q_uz) (<= 0 d_uz) (> 2 d_uz) (<= 0 l) (> 16 l))) :named |denied: 0 <= q_uz and 8 > q_uz and 0 <= d_uz and 2 > d_uz and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of load_f32 V -> b_r_5: every element of b_r_5 that is written lies inside it
; question 30
(push 1)
(set-info :status unsat)
(declare-fun d_ub () Int)
(declare-fun l () Int)
(assert (! (<= 0 d_ub) :named |1: 0 <= d_ub|))
(assert (! (> 2 d_ub) :named |2: 2 > d_ub|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 d_ub) (> 2 d_ub) (<= 0 l) (> 16 l))) :named |denied: 0 <= d_ub and 2 > d_ub and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of load_f32 V -> b_r_5: every element of V that is read lies inside it
; question 31
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
(assert (! (not (and (<= 0 0) (< 0 1) (<= 0 k0) (> 64 k0) (<= 0 (+ l (* 16 d_ub))) (> 32 (+ l (* 16 d_ub))))) :named |denied: 0 <= 0 and 0 < 1 and 0 <= k0 and 64 > k0 and 0 <= l + 16*d_ub and 32 > l + 16*d_ub|))
(check-sat)
(pop 1)

; bounds of broadcast_f32 E -> a_r_5: every element of a_r_5 that is written lies inside it
; question 32
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! true :named |3: true|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of broadcast_f32 E -> a_r_5: every element of E that is read lies inside it
; question 33
(push 1)
(set-info :status unsat)
(declare-fun k0 () Int)
(declare-fun q_u () Int)
(assert (! (<= 0 k0) :named |1: 0 <= k0|))
(assert (! (> 64 k0) :named |2: 64 > k0|))
(assert (! (<= 0 q_u) :named |3: 0 <= q_u|))
(assert (! (> 8 q_u) :named |4: 8 > q_u|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 0) (< 0 1) (<= 0 q_u) (> 8 q_u) (<= 0 k0) (> 64 k0))) :named |denied: 0 <= 0 and 0 < 1 and 0 <= q_u and 8 > q_u and 0 <= k0 and 64 > k0|))
(check-sat)
(pop 1)

; bounds of store_f32 acc_5 -> O: every element of O that is written lies inside it
; question 34
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
(assert (! (not (and (<= 0 0) (< 0 1) (<= 0 q_us) (> 8 q_us) (<= 0 (+ l (* 16 d_us))) (> 32 (+ l (* 16 d_us))))) :named |denied: 0 <= 0 and 0 < 1 and 0 <= q_us and 8 > q_us and 0 <= l + 16*d_us and 32 > l + 16*d_us|))
(check-sat)
(pop 1)

; bounds of store_f32 acc_5 -> O: every element of acc_5 that is read lies inside it
; question 35
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
(assert (! (not (and (<= 0 q_us) (> 8 q_us) (<= 0 d_us) (> 2 d_us) (<= 0 l) (> 16 l))) :named |denied: 0 <= q_us and 8 > q_us and 0 <= d_us and 2 > d_us and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of store_f32 acc_5 -> O: only outputs of the kernel are written
;   decided without a solver, from the structure alone

; bounds of fmadd_ps: every element of acc that is used lies inside it
; question 36
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
(assert (! (not (and (<= 0 q_u) (> 4 q_u) (<= 0 k_u) (> 4 k_u) (<= 0 l) (> 16 l))) :named |denied: 0 <= q_u and 4 > q_u and 0 <= k_u and 4 > k_u and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of fmadd_ps: every element of a_r that is used lies inside it
; question 37
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of fmadd_ps: every element of b_r that is used lies inside it
; question 38
(push 1)
(set-info :status unsat)
(declare-fun k_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 k_u) :named |1: 0 <= k_u|))
(assert (! (> 4 k_u) :named |2: 4 > k_u|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! (not (and (<= 0 k_u) (> 4 k_u) (<= 0 l) (> 16 l))) :named |denied: 0 <= k_u and 4 > k_u and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of selected: every element of acc_2 that is used lies inside it
; question 39
(push 1)
(set-info :status unsat)
(declare-fun q_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 q_u) :named |1: 0 <= q_u|))
(assert (! (> 8 q_u) :named |2: 8 > q_u|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! (not (and (<= 0 q_u) (> 8 q_u) (<= 0 l) (> 16 l))) :named |denied: 0 <= q_u and 8 > q_u and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of selected: every element of x0_r_2 that is used lies inside it
; question 40
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of statement 3: every element of M that is used lies inside it
; question 41
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! (not (and (<= 0 h_e3) (> 1 h_e3) (<= 0 q_e3) (> 8 q_e3))) :named |denied: 0 <= h_e3 and 1 > h_e3 and 0 <= q_e3 and 8 > q_e3|))
(check-sat)
(pop 1)

; bounds of statement 3: every element of M_sums that is used lies inside it
; question 42
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! (not (and (<= 0 h_e3) (> 1 h_e3) (<= 0 q_e3) (> 8 q_e3) (<= 0 0) (< 0 16))) :named |denied: 0 <= h_e3 and 1 > h_e3 and 0 <= q_e3 and 8 > q_e3 and 0 <= 0 and 0 < 16|))
(check-sat)
(pop 1)

; bounds of statement 3: every element of M_sums that is used lies inside it
; question 43
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! (not (and (<= 0 h_e3) (> 1 h_e3) (<= 0 q_e3) (> 8 q_e3) (<= 0 8) (< 8 16))) :named |denied: 0 <= h_e3 and 1 > h_e3 and 0 <= q_e3 and 8 > q_e3 and 0 <= 8 and 8 < 16|))
(check-sat)
(pop 1)

; bounds of statement 3: every element of M_sums that is used lies inside it
; question 44
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! (not (and (<= 0 h_e3) (> 1 h_e3) (<= 0 q_e3) (> 8 q_e3) (<= 0 4) (< 4 16))) :named |denied: 0 <= h_e3 and 1 > h_e3 and 0 <= q_e3 and 8 > q_e3 and 0 <= 4 and 4 < 16|))
(check-sat)
(pop 1)

; bounds of statement 3: every element of M_sums that is used lies inside it
; question 45
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! (not (and (<= 0 h_e3) (> 1 h_e3) (<= 0 q_e3) (> 8 q_e3) (<= 0 12) (< 12 16))) :named |denied: 0 <= h_e3 and 1 > h_e3 and 0 <= q_e3 and 8 > q_e3 and 0 <= 12 and 12 < 16|))
(check-sat)
(pop 1)

; bounds of statement 3: every element of M_sums that is used lies inside it
; question 46
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! (not (and (<= 0 h_e3) (> 1 h_e3) (<= 0 q_e3) (> 8 q_e3) (<= 0 2) (< 2 16))) :named |denied: 0 <= h_e3 and 1 > h_e3 and 0 <= q_e3 and 8 > q_e3 and 0 <= 2 and 2 < 16|))
(check-sat)
(pop 1)

; bounds of statement 3: every element of M_sums that is used lies inside it
; question 47
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! (not (and (<= 0 h_e3) (> 1 h_e3) (<= 0 q_e3) (> 8 q_e3) (<= 0 10) (< 10 16))) :named |denied: 0 <= h_e3 and 1 > h_e3 and 0 <= q_e3 and 8 > q_e3 and 0 <= 10 and 10 < 16|))
(check-sat)
(pop 1)

; bounds of statement 3: every element of M_sums that is used lies inside it
; question 48
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! (not (and (<= 0 h_e3) (> 1 h_e3) (<= 0 q_e3) (> 8 q_e3) (<= 0 6) (< 6 16))) :named |denied: 0 <= h_e3 and 1 > h_e3 and 0 <= q_e3 and 8 > q_e3 and 0 <= 6 and 6 < 16|))
(check-sat)
(pop 1)

; bounds of statement 3: every element of M_sums that is used lies inside it
; question 49
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! (not (and (<= 0 h_e3) (> 1 h_e3) (<= 0 q_e3) (> 8 q_e3) (<= 0 14) (< 14 16))) :named |denied: 0 <= h_e3 and 1 > h_e3 and 0 <= q_e3 and 8 > q_e3 and 0 <= 14 and 14 < 16|))
(check-sat)
(pop 1)

; bounds of statement 3: every element of M_sums that is used lies inside it
; question 50
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! (not (and (<= 0 h_e3) (> 1 h_e3) (<= 0 q_e3) (> 8 q_e3) (<= 0 1) (< 1 16))) :named |denied: 0 <= h_e3 and 1 > h_e3 and 0 <= q_e3 and 8 > q_e3 and 0 <= 1 and 1 < 16|))
(check-sat)
(pop 1)

; bounds of statement 3: every element of M_sums that is used lies inside it
; question 51
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! (not (and (<= 0 h_e3) (> 1 h_e3) (<= 0 q_e3) (> 8 q_e3) (<= 0 9) (< 9 16))) :named |denied: 0 <= h_e3 and 1 > h_e3 and 0 <= q_e3 and 8 > q_e3 and 0 <= 9 and 9 < 16|))
(check-sat)
(pop 1)

; bounds of statement 3: every element of M_sums that is used lies inside it
; question 52
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! (not (and (<= 0 h_e3) (> 1 h_e3) (<= 0 q_e3) (> 8 q_e3) (<= 0 5) (< 5 16))) :named |denied: 0 <= h_e3 and 1 > h_e3 and 0 <= q_e3 and 8 > q_e3 and 0 <= 5 and 5 < 16|))
(check-sat)
(pop 1)

; bounds of statement 3: every element of M_sums that is used lies inside it
; question 53
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! (not (and (<= 0 h_e3) (> 1 h_e3) (<= 0 q_e3) (> 8 q_e3) (<= 0 13) (< 13 16))) :named |denied: 0 <= h_e3 and 1 > h_e3 and 0 <= q_e3 and 8 > q_e3 and 0 <= 13 and 13 < 16|))
(check-sat)
(pop 1)

; bounds of statement 3: every element of M_sums that is used lies inside it
; question 54
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! (not (and (<= 0 h_e3) (> 1 h_e3) (<= 0 q_e3) (> 8 q_e3) (<= 0 3) (< 3 16))) :named |denied: 0 <= h_e3 and 1 > h_e3 and 0 <= q_e3 and 8 > q_e3 and 0 <= 3 and 3 < 16|))
(check-sat)
(pop 1)

; bounds of statement 3: every element of M_sums that is used lies inside it
; question 55
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! (not (and (<= 0 h_e3) (> 1 h_e3) (<= 0 q_e3) (> 8 q_e3) (<= 0 11) (< 11 16))) :named |denied: 0 <= h_e3 and 1 > h_e3 and 0 <= q_e3 and 8 > q_e3 and 0 <= 11 and 11 < 16|))
(check-sat)
(pop 1)

; bounds of statement 3: every element of M_sums that is used lies inside it
; question 56
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! (not (and (<= 0 h_e3) (> 1 h_e3) (<= 0 q_e3) (> 8 q_e3) (<= 0 7) (< 7 16))) :named |denied: 0 <= h_e3 and 1 > h_e3 and 0 <= q_e3 and 8 > q_e3 and 0 <= 7 and 7 < 16|))
(check-sat)
(pop 1)

; bounds of statement 3: every element of M_sums that is used lies inside it
; question 57
(push 1)
(set-info :status unsat)
(declare-fun h_e3 () Int)
(declare-fun q_e3 () Int)
(assert (! (<= 0 h_e3) :named |1: 0 <= h_e3|))
(assert (! (> 1 h_e3) :named |2: 1 > h_e3|))
(assert (! (<= 0 q_e3) :named |3: 0 <= q_e3|))
(assert (! (> 8 q_e3) :named |4: 8 > q_e3|))
(assert (! (not (and (<= 0 h_e3) (> 1 h_e3) (<= 0 q_e3) (> 8 q_e3) (<= 0 15) (< 15 16))) :named |denied: 0 <= h_e3 and 1 > h_e3 and 0 <= q_e3 and 8 > q_e3 and 0 <= 15 and 15 < 16|))
(check-sat)
(pop 1)

; bounds of statement 3: only outputs of the kernel are written
;   decided without a solver, from the structure alone

; bounds of selected: every element of acc_3 that is used lies inside it
; question 58
(push 1)
(set-info :status unsat)
(declare-fun k_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 k_u) :named |1: 0 <= k_u|))
(assert (! (> 4 k_u) :named |2: 4 > k_u|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! (not (and (<= 0 k_u) (> 4 k_u) (<= 0 l) (> 16 l))) :named |denied: 0 <= k_u and 4 > k_u and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of selected: every element of x0_r_3 that is used lies inside it
; question 59
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of selected: every element of x1_r_3 that is used lies inside it
; question 60
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of selected: every element of x2_r_3 that is used lies inside it
; question 61
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of selected: every element of acc_4 that is used lies inside it
; question 62
(push 1)
(set-info :status unsat)
(declare-fun q_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 q_u) :named |1: 0 <= q_u|))
(assert (! (> 8 q_u) :named |2: 8 > q_u|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! (not (and (<= 0 q_u) (> 8 q_u) (<= 0 l) (> 16 l))) :named |denied: 0 <= q_u and 8 > q_u and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of selected: every element of x0_r_4 that is used lies inside it
; question 63
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of statement 6: every element of D that is used lies inside it
; question 64
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! (not (and (<= 0 h_e6) (> 1 h_e6) (<= 0 q_e6) (> 8 q_e6))) :named |denied: 0 <= h_e6 and 1 > h_e6 and 0 <= q_e6 and 8 > q_e6|))
(check-sat)
(pop 1)

; bounds of statement 6: every element of D_sums that is used lies inside it
; question 65
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! (not (and (<= 0 h_e6) (> 1 h_e6) (<= 0 q_e6) (> 8 q_e6) (<= 0 0) (< 0 16))) :named |denied: 0 <= h_e6 and 1 > h_e6 and 0 <= q_e6 and 8 > q_e6 and 0 <= 0 and 0 < 16|))
(check-sat)
(pop 1)

; bounds of statement 6: every element of D_sums that is used lies inside it
; question 66
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! (not (and (<= 0 h_e6) (> 1 h_e6) (<= 0 q_e6) (> 8 q_e6) (<= 0 8) (< 8 16))) :named |denied: 0 <= h_e6 and 1 > h_e6 and 0 <= q_e6 and 8 > q_e6 and 0 <= 8 and 8 < 16|))
(check-sat)
(pop 1)

; bounds of statement 6: every element of D_sums that is used lies inside it
; question 67
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! (not (and (<= 0 h_e6) (> 1 h_e6) (<= 0 q_e6) (> 8 q_e6) (<= 0 4) (< 4 16))) :named |denied: 0 <= h_e6 and 1 > h_e6 and 0 <= q_e6 and 8 > q_e6 and 0 <= 4 and 4 < 16|))
(check-sat)
(pop 1)

; bounds of statement 6: every element of D_sums that is used lies inside it
; question 68
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! (not (and (<= 0 h_e6) (> 1 h_e6) (<= 0 q_e6) (> 8 q_e6) (<= 0 12) (< 12 16))) :named |denied: 0 <= h_e6 and 1 > h_e6 and 0 <= q_e6 and 8 > q_e6 and 0 <= 12 and 12 < 16|))
(check-sat)
(pop 1)

; bounds of statement 6: every element of D_sums that is used lies inside it
; question 69
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! (not (and (<= 0 h_e6) (> 1 h_e6) (<= 0 q_e6) (> 8 q_e6) (<= 0 2) (< 2 16))) :named |denied: 0 <= h_e6 and 1 > h_e6 and 0 <= q_e6 and 8 > q_e6 and 0 <= 2 and 2 < 16|))
(check-sat)
(pop 1)

; bounds of statement 6: every element of D_sums that is used lies inside it
; question 70
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! (not (and (<= 0 h_e6) (> 1 h_e6) (<= 0 q_e6) (> 8 q_e6) (<= 0 10) (< 10 16))) :named |denied: 0 <= h_e6 and 1 > h_e6 and 0 <= q_e6 and 8 > q_e6 and 0 <= 10 and 10 < 16|))
(check-sat)
(pop 1)

; bounds of statement 6: every element of D_sums that is used lies inside it
; question 71
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! (not (and (<= 0 h_e6) (> 1 h_e6) (<= 0 q_e6) (> 8 q_e6) (<= 0 6) (< 6 16))) :named |denied: 0 <= h_e6 and 1 > h_e6 and 0 <= q_e6 and 8 > q_e6 and 0 <= 6 and 6 < 16|))
(check-sat)
(pop 1)

; bounds of statement 6: every element of D_sums that is used lies inside it
; question 72
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! (not (and (<= 0 h_e6) (> 1 h_e6) (<= 0 q_e6) (> 8 q_e6) (<= 0 14) (< 14 16))) :named |denied: 0 <= h_e6 and 1 > h_e6 and 0 <= q_e6 and 8 > q_e6 and 0 <= 14 and 14 < 16|))
(check-sat)
(pop 1)

; bounds of statement 6: every element of D_sums that is used lies inside it
; question 73
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! (not (and (<= 0 h_e6) (> 1 h_e6) (<= 0 q_e6) (> 8 q_e6) (<= 0 1) (< 1 16))) :named |denied: 0 <= h_e6 and 1 > h_e6 and 0 <= q_e6 and 8 > q_e6 and 0 <= 1 and 1 < 16|))
(check-sat)
(pop 1)

; bounds of statement 6: every element of D_sums that is used lies inside it
; question 74
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! (not (and (<= 0 h_e6) (> 1 h_e6) (<= 0 q_e6) (> 8 q_e6) (<= 0 9) (< 9 16))) :named |denied: 0 <= h_e6 and 1 > h_e6 and 0 <= q_e6 and 8 > q_e6 and 0 <= 9 and 9 < 16|))
(check-sat)
(pop 1)

; bounds of statement 6: every element of D_sums that is used lies inside it
; question 75
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! (not (and (<= 0 h_e6) (> 1 h_e6) (<= 0 q_e6) (> 8 q_e6) (<= 0 5) (< 5 16))) :named |denied: 0 <= h_e6 and 1 > h_e6 and 0 <= q_e6 and 8 > q_e6 and 0 <= 5 and 5 < 16|))
(check-sat)
(pop 1)

; bounds of statement 6: every element of D_sums that is used lies inside it
; question 76
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! (not (and (<= 0 h_e6) (> 1 h_e6) (<= 0 q_e6) (> 8 q_e6) (<= 0 13) (< 13 16))) :named |denied: 0 <= h_e6 and 1 > h_e6 and 0 <= q_e6 and 8 > q_e6 and 0 <= 13 and 13 < 16|))
(check-sat)
(pop 1)

; bounds of statement 6: every element of D_sums that is used lies inside it
; question 77
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! (not (and (<= 0 h_e6) (> 1 h_e6) (<= 0 q_e6) (> 8 q_e6) (<= 0 3) (< 3 16))) :named |denied: 0 <= h_e6 and 1 > h_e6 and 0 <= q_e6 and 8 > q_e6 and 0 <= 3 and 3 < 16|))
(check-sat)
(pop 1)

; bounds of statement 6: every element of D_sums that is used lies inside it
; question 78
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! (not (and (<= 0 h_e6) (> 1 h_e6) (<= 0 q_e6) (> 8 q_e6) (<= 0 11) (< 11 16))) :named |denied: 0 <= h_e6 and 1 > h_e6 and 0 <= q_e6 and 8 > q_e6 and 0 <= 11 and 11 < 16|))
(check-sat)
(pop 1)

; bounds of statement 6: every element of D_sums that is used lies inside it
; question 79
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! (not (and (<= 0 h_e6) (> 1 h_e6) (<= 0 q_e6) (> 8 q_e6) (<= 0 7) (< 7 16))) :named |denied: 0 <= h_e6 and 1 > h_e6 and 0 <= q_e6 and 8 > q_e6 and 0 <= 7 and 7 < 16|))
(check-sat)
(pop 1)

; bounds of statement 6: every element of D_sums that is used lies inside it
; question 80
(push 1)
(set-info :status unsat)
(declare-fun h_e6 () Int)
(declare-fun q_e6 () Int)
(assert (! (<= 0 h_e6) :named |1: 0 <= h_e6|))
(assert (! (> 1 h_e6) :named |2: 1 > h_e6|))
(assert (! (<= 0 q_e6) :named |3: 0 <= q_e6|))
(assert (! (> 8 q_e6) :named |4: 8 > q_e6|))
(assert (! (not (and (<= 0 h_e6) (> 1 h_e6) (<= 0 q_e6) (> 8 q_e6) (<= 0 15) (< 15 16))) :named |denied: 0 <= h_e6 and 1 > h_e6 and 0 <= q_e6 and 8 > q_e6 and 0 <= 15 and 15 < 16|))
(check-sat)
(pop 1)

; bounds of statement 6: only outputs of the kernel are written
;   decided without a solver, from the structure alone

; bounds of fmadd_ps: every element of acc_5 that is used lies inside it
; question 81
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
(assert (! (not (and (<= 0 q_u) (> 8 q_u) (<= 0 d_u) (> 2 d_u) (<= 0 l) (> 16 l))) :named |denied: 0 <= q_u and 8 > q_u and 0 <= d_u and 2 > d_u and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of fmadd_ps: every element of a_r_5 that is used lies inside it
; question 82
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of fmadd_ps: every element of b_r_5 that is used lies inside it
; question 83
(push 1)
(set-info :status unsat)
(declare-fun d_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 d_u) :named |1: 0 <= d_u|))
(assert (! (> 2 d_u) :named |2: 2 > d_u|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! (not (and (<= 0 d_u) (> 2 d_u) (<= 0 l) (> 16 l))) :named |denied: 0 <= d_u and 2 > d_u and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of statement 8: every element of Y that is used lies inside it
; question 84
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
(assert (! (not (and (<= 0 h_e8) (> 1 h_e8) (<= 0 q_e8) (> 8 q_e8) (<= 0 d_e8) (> 32 d_e8))) :named |denied: 0 <= h_e8 and 1 > h_e8 and 0 <= q_e8 and 8 > q_e8 and 0 <= d_e8 and 32 > d_e8|))
(check-sat)
(pop 1)

; bounds of statement 8: every element of O that is used lies inside it
; question 85
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
(assert (! (not (and (<= 0 h_e8) (> 1 h_e8) (<= 0 q_e8) (> 8 q_e8) (<= 0 d_e8) (> 32 d_e8))) :named |denied: 0 <= h_e8 and 1 > h_e8 and 0 <= q_e8 and 8 > q_e8 and 0 <= d_e8 and 32 > d_e8|))
(check-sat)
(pop 1)

; bounds of statement 8: every element of D that is used lies inside it
; question 86
(push 1)
(set-info :status unsat)
(declare-fun h_e8 () Int)
(declare-fun q_e8 () Int)
(assert (! (<= 0 h_e8) :named |1: 0 <= h_e8|))
(assert (! (> 1 h_e8) :named |2: 1 > h_e8|))
(assert (! (<= 0 q_e8) :named |3: 0 <= q_e8|))
(assert (! (> 8 q_e8) :named |4: 8 > q_e8|))
(assert (! (not (and (<= 0 h_e8) (> 1 h_e8) (<= 0 q_e8) (> 8 q_e8))) :named |denied: 0 <= h_e8 and 1 > h_e8 and 0 <= q_e8 and 8 > q_e8|))
(check-sat)
(pop 1)

; bounds of statement 8: only outputs of the kernel are written
;   decided without a solver, from the structure alone
