(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_softmax/selected,split-n-64-16,split-n-64-16,l=n_part,x0=x,at,i=4,n=64,within,x=-4..4
; claim: program
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; program of acc: the type of acc mentions only loops around its declaration (at the top)
;   decided without a solver, from the structure alone

; program of x0_r: the type of x0_r mentions only loops around its declaration (inside n_step0, i_u)
;   decided without a solver, from the structure alone

; program of acc_2: the type of acc_2 mentions only loops around its declaration (inside i0)
;   decided without a solver, from the structure alone

; program of x1_r_2: the type of x1_r_2 mentions only loops around its declaration (inside i0)
;   decided without a solver, from the structure alone

; program of x0_r_2: the type of x0_r_2 mentions only loops around its declaration (inside i0, n_u)
;   decided without a solver, from the structure alone

; program of acc_3: the type of acc_3 mentions only loops around its declaration (at the top)
;   decided without a solver, from the structure alone

; program of x0_r_3: the type of x0_r_3 mentions only loops around its declaration (inside n_step_0, i_u)
;   decided without a solver, from the structure alone

; program of acc_4: the type of acc_4 mentions only loops around its declaration (at the top)
;   decided without a solver, from the structure alone

; program of x0_r_4: the type of x0_r_4 mentions only loops around its declaration (at the top)
;   decided without a solver, from the structure alone

; program of x0_r_4: the type of x0_r_4 mentions only loops around its declaration (at the top)
;   decided without a solver, from the structure alone

; program of acc_5: the type of acc_5 mentions only loops around its declaration (inside i0)
;   decided without a solver, from the structure alone

; program of b_r_5: the type of b_r_5 mentions only loops around its declaration (inside i0)
;   decided without a solver, from the structure alone

; program of a_r_5: the type of a_r_5 mentions only loops around its declaration (inside i0, n_u)
;   decided without a solver, from the structure alone

; program of broadcast_f32_of_least 0 -> acc: source and destination have one element type
;   decided without a solver, from the structure alone

; program of load_f32 x -> x0_r: source and destination have one element type
;   decided without a solver, from the structure alone

; program of load_f32 x -> x0_r: every cell written inside n_step0, i_u holds what the type of x0_r says
; question 1
(push 1)
(set-info :status unsat)
(declare-fun n_step0 () Int)
(declare-fun i_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 n_step0) :named |1: 0 <= n_step0|))
(assert (! (> 4 n_step0) :named |2: 4 > n_step0|))
(assert (! (<= 0 i_u) :named |3: 0 <= i_u|))
(assert (! (> 4 i_u) :named |4: 4 > i_u|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (not (=> true (and true true (= i_u i_u) (= (+ l (* 16 n_step0)) (+ l (* 16 n_step0)))))) :named |denied: true implies true and true and i_u = i_u and l + 16*n_step0 = l + 16*n_step0|))
(check-sat)
(pop 1)

; program of store_f32 acc -> top_sums: source and destination have one element type
;   decided without a solver, from the structure alone

; program of store_f32 acc -> top_sums: every cell written inside i_us holds what the type of top_sums says
; question 2
(push 1)
(set-info :status unsat)
(declare-fun i_us () Int)
(declare-fun l () Int)
(assert (! (<= 0 i_us) :named |1: 0 <= i_us|))
(assert (! (> 4 i_us) :named |2: 4 > i_us|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! (not (=> true (and true true (= i_us i_us) (= l l)))) :named |denied: true implies true and true and i_us = i_us and l = l|))
(check-sat)
(pop 1)

; program of load_f32 e -> acc_2: source and destination have one element type
;   decided without a solver, from the structure alone

; program of load_f32 e -> acc_2: every cell written inside i0, n_ul holds what the type of acc_2 says
; question 3
(push 1)
(set-info :status unsat)
(declare-fun i0 () Int)
(declare-fun n_ul () Int)
(declare-fun l () Int)
(assert (! (<= 0 i0) :named |1: 0 <= i0|))
(assert (! (> 4 i0) :named |2: 4 > i0|))
(assert (! (<= 0 n_ul) :named |3: 0 <= n_ul|))
(assert (! (> 4 n_ul) :named |4: 4 > n_ul|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (not (=> true (and true true (= i0 i0) (= (+ l (* 16 n_ul)) (+ l (* 16 n_ul)))))) :named |denied: true implies true and true and i0 = i0 and l + 16*n_ul = l + 16*n_ul|))
(check-sat)
(pop 1)

; program of broadcast_f32 top -> x1_r_2: source and destination have one element type
;   decided without a solver, from the structure alone

; program of broadcast_f32 top -> x1_r_2: every cell written inside i0 holds what the type of x1_r_2 says
; question 4
(push 1)
(set-info :status unsat)
(declare-fun i0 () Int)
(assert (! (<= 0 i0) :named |1: 0 <= i0|))
(assert (! (> 4 i0) :named |2: 4 > i0|))
(assert (! true :named |3: true|))
(assert (! (not (=> true (and true true (= i0 i0)))) :named |denied: true implies true and true and i0 = i0|))
(check-sat)
(pop 1)

; program of load_f32 x -> x0_r_2: source and destination have one element type
;   decided without a solver, from the structure alone

; program of load_f32 x -> x0_r_2: every cell written inside i0, n_u holds what the type of x0_r_2 says
; question 5
(push 1)
(set-info :status unsat)
(declare-fun i0 () Int)
(declare-fun n_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 i0) :named |1: 0 <= i0|))
(assert (! (> 4 i0) :named |2: 4 > i0|))
(assert (! (<= 0 n_u) :named |3: 0 <= n_u|))
(assert (! (> 4 n_u) :named |4: 4 > n_u|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (not (=> true (and true true (= i0 i0) (= (+ l (* 16 n_u)) (+ l (* 16 n_u)))))) :named |denied: true implies true and true and i0 = i0 and l + 16*n_u = l + 16*n_u|))
(check-sat)
(pop 1)

; program of store_f32 acc_2 -> e: source and destination have one element type
;   decided without a solver, from the structure alone

; program of store_f32 acc_2 -> e: every cell written inside i0, n_us holds what the type of e says
; question 6
(push 1)
(set-info :status unsat)
(declare-fun i0 () Int)
(declare-fun n_us () Int)
(declare-fun l () Int)
(assert (! (<= 0 i0) :named |1: 0 <= i0|))
(assert (! (> 4 i0) :named |2: 4 > i0|))
(assert (! (<= 0 n_us) :named |3: 0 <= n_us|))
(assert (! (> 4 n_us) :named |4: 4 > n_us|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (not (=> true (and true true (= i0 i0) (= (+ l (* 16 n_us)) (+ l (* 16 n_us)))))) :named |denied: true implies true and true and i0 = i0 and l + 16*n_us = l + 16*n_us|))
(check-sat)
(pop 1)

; program of zero_f32 0 -> acc_3: source and destination have one element type
;   decided without a solver, from the structure alone

; program of load_f32 e -> x0_r_3: source and destination have one element type
;   decided without a solver, from the structure alone

; program of load_f32 e -> x0_r_3: every cell written inside n_step_0, i_u holds what the type of x0_r_3 says
; question 7
(push 1)
(set-info :status unsat)
(declare-fun n_step_0 () Int)
(declare-fun i_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 n_step_0) :named |1: 0 <= n_step_0|))
(assert (! (> 4 n_step_0) :named |2: 4 > n_step_0|))
(assert (! (<= 0 i_u) :named |3: 0 <= i_u|))
(assert (! (> 4 i_u) :named |4: 4 > i_u|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (not (=> true (and true true (= i_u i_u) (= (+ l (* 16 n_step_0)) (+ l (* 16 n_step_0)))))) :named |denied: true implies true and true and i_u = i_u and l + 16*n_step_0 = l + 16*n_step_0|))
(check-sat)
(pop 1)

; program of store_f32 acc_3 -> total_sums: source and destination have one element type
;   decided without a solver, from the structure alone

; program of store_f32 acc_3 -> total_sums: every cell written inside i_us holds what the type of total_sums says
; question 8
(push 1)
(set-info :status unsat)
(declare-fun i_us () Int)
(declare-fun l () Int)
(assert (! (<= 0 i_us) :named |1: 0 <= i_us|))
(assert (! (> 4 i_us) :named |2: 4 > i_us|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! (not (=> true (and true true (= i_us i_us) (= l l)))) :named |denied: true implies true and true and i_us = i_us and l = l|))
(check-sat)
(pop 1)

; program of load_f32 share -> acc_4: source and destination have one element type
;   decided without a solver, from the structure alone

; program of load_f32 share -> acc_4: every cell written at the top holds what the type of acc_4 says
; question 9
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! false :named |1: False|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! true :named |4: true|))
(assert (! (not (=> (> 4 l) (and true true (= l l)))) :named |denied: 4 > l implies true and true and l = l|))
(check-sat)
(pop 1)

; program of masked_load_f32 share -> acc_4: source and destination have one element type
;   decided without a solver, from the structure alone

; program of masked_load_f32 share -> acc_4: every cell written at the top holds what the type of acc_4 says
; question 10
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! true :named |1: True|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! true :named |4: true|))
(assert (! (not (=> (> 4 l) (and (> 4 l) true (= l l)))) :named |denied: 4 > l implies 4 > l and true and l = l|))
(check-sat)
(pop 1)

; program of load_f32 total -> x0_r_4: source and destination have one element type
;   decided without a solver, from the structure alone

; program of load_f32 total -> x0_r_4: every cell written at the top holds what the type of x0_r_4 says
; question 11
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! false :named |1: False|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! true :named |4: true|))
(assert (! (not (and (=> (> 4 l) (and true true (= l l))) (=> (not (> 4 l)) (or (not true) false)))) :named |denied: (4 > l implies true and true and l = l) and (not (4 > l) implies not true or false)|))
(check-sat)
(pop 1)

; program of masked_load_f32 total -> x0_r_4: source and destination have one element type
;   decided without a solver, from the structure alone

; program of masked_load_f32 total -> x0_r_4: every cell written at the top holds what the type of x0_r_4 says
; question 12
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! true :named |1: True|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! true :named |4: true|))
(assert (! (not (and (=> (> 4 l) (and (> 4 l) true (= l l))) (=> (not (> 4 l)) (or (not (> 4 l)) false)))) :named |denied: (4 > l implies 4 > l and true and l = l) and (not (4 > l) implies 4 <= l or false)|))
(check-sat)
(pop 1)

; program of store_f32 acc_4 -> share: source and destination have one element type
;   decided without a solver, from the structure alone

; program of store_f32 acc_4 -> share: every cell written at the top holds what the type of share says
; question 13
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! false :named |1: False|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! true :named |4: true|))
(assert (! (not (=> true (and true (> 4 l) (= l l)))) :named |denied: true implies true and 4 > l and l = l|))
(check-sat)
(pop 1)

; program of masked_store_f32 acc_4 -> share: source and destination have one element type
;   decided without a solver, from the structure alone

; program of masked_store_f32 acc_4 -> share: every cell written at the top holds what the type of share says
; question 14
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! true :named |1: True|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! (> 4 l) :named |4: 4 > l|))
(assert (! (not (=> true (and (> 4 l) (> 4 l) (= l l)))) :named |denied: true implies 4 > l and 4 > l and l = l|))
(check-sat)
(pop 1)

; program of load_f32 y -> acc_5: source and destination have one element type
;   decided without a solver, from the structure alone

; program of load_f32 y -> acc_5: every cell written inside i0, n_ul holds what the type of acc_5 says
; question 15
(push 1)
(set-info :status unsat)
(declare-fun i0 () Int)
(declare-fun n_ul () Int)
(declare-fun l () Int)
(assert (! (<= 0 i0) :named |1: 0 <= i0|))
(assert (! (> 4 i0) :named |2: 4 > i0|))
(assert (! (<= 0 n_ul) :named |3: 0 <= n_ul|))
(assert (! (> 4 n_ul) :named |4: 4 > n_ul|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (not (=> true (and true true (= i0 i0) (= (+ l (* 16 n_ul)) (+ l (* 16 n_ul)))))) :named |denied: true implies true and true and i0 = i0 and l + 16*n_ul = l + 16*n_ul|))
(check-sat)
(pop 1)

; program of broadcast_f32 share -> b_r_5: source and destination have one element type
;   decided without a solver, from the structure alone

; program of broadcast_f32 share -> b_r_5: every cell written inside i0 holds what the type of b_r_5 says
; question 16
(push 1)
(set-info :status unsat)
(declare-fun i0 () Int)
(assert (! (<= 0 i0) :named |1: 0 <= i0|))
(assert (! (> 4 i0) :named |2: 4 > i0|))
(assert (! true :named |3: true|))
(assert (! (not (=> true (and true true (= i0 i0)))) :named |denied: true implies true and true and i0 = i0|))
(check-sat)
(pop 1)

; program of load_f32 e -> a_r_5: source and destination have one element type
;   decided without a solver, from the structure alone

; program of load_f32 e -> a_r_5: every cell written inside i0, n_u holds what the type of a_r_5 says
; question 17
(push 1)
(set-info :status unsat)
(declare-fun i0 () Int)
(declare-fun n_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 i0) :named |1: 0 <= i0|))
(assert (! (> 4 i0) :named |2: 4 > i0|))
(assert (! (<= 0 n_u) :named |3: 0 <= n_u|))
(assert (! (> 4 n_u) :named |4: 4 > n_u|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (not (=> true (and true true (= i0 i0) (= (+ l (* 16 n_u)) (+ l (* 16 n_u)))))) :named |denied: true implies true and true and i0 = i0 and l + 16*n_u = l + 16*n_u|))
(check-sat)
(pop 1)

; program of store_f32 acc_5 -> y: source and destination have one element type
;   decided without a solver, from the structure alone

; program of store_f32 acc_5 -> y: every cell written inside i0, n_us holds what the type of y says
; question 18
(push 1)
(set-info :status unsat)
(declare-fun i0 () Int)
(declare-fun n_us () Int)
(declare-fun l () Int)
(assert (! (<= 0 i0) :named |1: 0 <= i0|))
(assert (! (> 4 i0) :named |2: 4 > i0|))
(assert (! (<= 0 n_us) :named |3: 0 <= n_us|))
(assert (! (> 4 n_us) :named |4: 4 > n_us|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (not (=> true (and true true (= i0 i0) (= (+ l (* 16 n_us)) (+ l (* 16 n_us)))))) :named |denied: true implies true and true and i0 = i0 and l + 16*n_us = l + 16*n_us|))
(check-sat)
(pop 1)

; program of acc: every cell of acc that is read inside i_us was written before
; question 19
(push 1)
(set-info :status unsat)
(declare-fun i_us () Int)
(declare-fun l () Int)
(assert (! (<= 0 i_us) :named |1: 0 <= i_us|))
(assert (! (> 4 i_us) :named |2: 4 > i_us|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! true :named |6: true|))
(assert (! (not (and (<= 0 i_us) (> 4 i_us) (<= 0 l) (> 16 l) (= i_us i_us) (= l l))) :named |denied: 0 <= i_us and 4 > i_us and 0 <= l and 16 > l and i_us = i_us and l = l|))
(check-sat)
(pop 1)

; program of acc_2: every cell of acc_2 that is read inside i0, n_us was written before
; question 20
(push 1)
(set-info :status unsat)
(declare-fun n_us () Int)
(declare-fun l () Int)
(assert (! (<= 0 n_us) :named |1: 0 <= n_us|))
(assert (! (> 4 n_us) :named |2: 4 > n_us|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! true :named |6: true|))
(assert (! (not (and (<= 0 n_us) (> 4 n_us) (<= 0 l) (> 16 l) (= n_us n_us) (= l l))) :named |denied: 0 <= n_us and 4 > n_us and 0 <= l and 16 > l and n_us = n_us and l = l|))
(check-sat)
(pop 1)

; program of acc_3: every cell of acc_3 that is read inside i_us was written before
; question 21
(push 1)
(set-info :status unsat)
(declare-fun i_us () Int)
(declare-fun l () Int)
(assert (! (<= 0 i_us) :named |1: 0 <= i_us|))
(assert (! (> 4 i_us) :named |2: 4 > i_us|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! true :named |6: true|))
(assert (! (not (and (<= 0 i_us) (> 4 i_us) (<= 0 l) (> 16 l) (= i_us i_us) (= l l))) :named |denied: 0 <= i_us and 4 > i_us and 0 <= l and 16 > l and i_us = i_us and l = l|))
(check-sat)
(pop 1)

; program of acc_4: every cell of acc_4 that is read at the top was written before
; question 22
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! false :named |1: False|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! true :named |4: true|))
(assert (! (> 4 l) :named |5: 4 > l|))
(assert (! (not (or (and (<= 0 l) (> 16 l) false (= l l)) (and (<= 0 l) (> 16 l) true (= l l)))) :named |denied: 0 <= l and 16 > l and False and l = l or 0 <= l and 16 > l and True and l = l|))
(check-sat)
(pop 1)

; program of acc_4: every cell of acc_4 that is read at the top was written before
; question 23
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! true :named |1: True|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! (> 4 l) :named |4: 4 > l|))
(assert (! (> 4 l) :named |5: 4 > l|))
(assert (! (not (or (and (<= 0 l) (> 16 l) false (= l l)) (and (<= 0 l) (> 16 l) true (= l l)))) :named |denied: 0 <= l and 16 > l and False and l = l or 0 <= l and 16 > l and True and l = l|))
(check-sat)
(pop 1)

; program of acc_5: every cell of acc_5 that is read inside i0, n_us was written before
; question 24
(push 1)
(set-info :status unsat)
(declare-fun n_us () Int)
(declare-fun l () Int)
(assert (! (<= 0 n_us) :named |1: 0 <= n_us|))
(assert (! (> 4 n_us) :named |2: 4 > n_us|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! true :named |6: true|))
(assert (! (not (and (<= 0 n_us) (> 4 n_us) (<= 0 l) (> 16 l) (= n_us n_us) (= l l))) :named |denied: 0 <= n_us and 4 > n_us and 0 <= l and 16 > l and n_us = n_us and l = l|))
(check-sat)
(pop 1)

; program of acc: every cell of acc that is read inside n_step0, i_u was written before
; question 25
(push 1)
(set-info :status unsat)
(declare-fun i_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 i_u) :named |1: 0 <= i_u|))
(assert (! (> 4 i_u) :named |2: 4 > i_u|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! true :named |6: true|))
(assert (! (not (and (<= 0 i_u) (> 4 i_u) (<= 0 l) (> 16 l) (= i_u i_u) (= l l))) :named |denied: 0 <= i_u and 4 > i_u and 0 <= l and 16 > l and i_u = i_u and l = l|))
(check-sat)
(pop 1)

; program of x0_r: every cell of x0_r that is read inside n_step0, i_u was written before
; question 26
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

; program of acc_2: every cell of acc_2 that is read inside i0, n_u was written before
; question 27
(push 1)
(set-info :status unsat)
(declare-fun n_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 n_u) :named |1: 0 <= n_u|))
(assert (! (> 4 n_u) :named |2: 4 > n_u|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! true :named |6: true|))
(assert (! (not (and (<= 0 n_u) (> 4 n_u) (<= 0 l) (> 16 l) (= n_u n_u) (= l l))) :named |denied: 0 <= n_u and 4 > n_u and 0 <= l and 16 > l and n_u = n_u and l = l|))
(check-sat)
(pop 1)

; program of x0_r_2: every cell of x0_r_2 that is read inside i0, n_u was written before
; question 28
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

; program of x1_r_2: every cell of x1_r_2 that is read inside i0, n_u was written before
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

; program of acc_3: every cell of acc_3 that is read inside n_step_0, i_u was written before
; question 30
(push 1)
(set-info :status unsat)
(declare-fun i_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 i_u) :named |1: 0 <= i_u|))
(assert (! (> 4 i_u) :named |2: 4 > i_u|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! true :named |6: true|))
(assert (! (not (and (<= 0 i_u) (> 4 i_u) (<= 0 l) (> 16 l) (= i_u i_u) (= l l))) :named |denied: 0 <= i_u and 4 > i_u and 0 <= l and 16 > l and i_u = i_u and l = l|))
(check-sat)
(pop 1)

; program of x0_r_3: every cell of x0_r_3 that is read inside n_step_0, i_u was written before
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

; program of acc_4: every cell of acc_4 that is read at the top was written before
; question 32
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! false :named |1: False|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! true :named |4: true|))
(assert (! (> 4 l) :named |5: 4 > l|))
(assert (! (not (or (and (<= 0 l) (> 16 l) false (= l l)) (and (<= 0 l) (> 16 l) true (= l l)))) :named |denied: 0 <= l and 16 > l and False and l = l or 0 <= l and 16 > l and True and l = l|))
(check-sat)
(pop 1)

; program of x0_r_4: every cell of x0_r_4 that is read at the top was written before
; question 33
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! false :named |1: False|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! true :named |4: true|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 l) (> 16 l) (= l l))) :named |denied: 0 <= l and 16 > l and l = l|))
(check-sat)
(pop 1)

; program of acc_4: every cell of acc_4 that is read at the top was written before
; question 34
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! true :named |1: True|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! true :named |4: true|))
(assert (! (> 4 l) :named |5: 4 > l|))
(assert (! (not (or (and (<= 0 l) (> 16 l) false (= l l)) (and (<= 0 l) (> 16 l) true (= l l)))) :named |denied: 0 <= l and 16 > l and False and l = l or 0 <= l and 16 > l and True and l = l|))
(check-sat)
(pop 1)

; program of x0_r_4: every cell of x0_r_4 that is read at the top was written before
; question 35
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! true :named |1: True|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! true :named |4: true|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 l) (> 16 l) (= l l))) :named |denied: 0 <= l and 16 > l and l = l|))
(check-sat)
(pop 1)

; program of acc_5: every cell of acc_5 that is read inside i0, n_u was written before
; question 36
(push 1)
(set-info :status unsat)
(declare-fun n_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 n_u) :named |1: 0 <= n_u|))
(assert (! (> 4 n_u) :named |2: 4 > n_u|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! true :named |6: true|))
(assert (! (not (and (<= 0 n_u) (> 4 n_u) (<= 0 l) (> 16 l) (= n_u n_u) (= l l))) :named |denied: 0 <= n_u and 4 > n_u and 0 <= l and 16 > l and n_u = n_u and l = l|))
(check-sat)
(pop 1)

; program of a_r_5: every cell of a_r_5 that is read inside i0, n_u was written before
; question 37
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

; program of b_r_5: every cell of b_r_5 that is read inside i0, n_u was written before
; question 38
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

; program of acc: acc holds top_sums
;   decided without a solver, from the structure alone

; program of acc: the accumulator cell inside n_step0, i_u stands for the output of its point
; question 39
(push 1)
(set-info :status unsat)
(declare-fun i_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 i_u) :named |1: 0 <= i_u|))
(assert (! (> 4 i_u) :named |2: 4 > i_u|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! (<= 0 i_u) :named |6: 0 <= i_u|))
(assert (! (> 4 i_u) :named |7: 4 > i_u|))
(assert (! (<= 0 l) :named |8: 0 <= l|))
(assert (! (> 16 l) :named |9: 16 > l|))
(assert (! (not (and (= i_u i_u) (= l l))) :named |denied: i_u = i_u and l = l|))
(check-sat)
(pop 1)

; program of x0_r: x0_r holds x
;   decided without a solver, from the structure alone

; program of x0_r: x0_r inside n_step0, i_u holds x[i, n_part + 16*n_step] of its point
; question 40
(push 1)
(set-info :status unsat)
(declare-fun n_step0 () Int)
(declare-fun i_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 n_step0) :named |1: 0 <= n_step0|))
(assert (! (> 4 n_step0) :named |2: 4 > n_step0|))
(assert (! (<= 0 i_u) :named |3: 0 <= i_u|))
(assert (! (> 4 i_u) :named |4: 4 > i_u|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (<= 0 i_u) :named |8: 0 <= i_u|))
(assert (! (> 4 i_u) :named |9: 4 > i_u|))
(assert (! (<= 0 l) :named |10: 0 <= l|))
(assert (! (> 16 l) :named |11: 16 > l|))
(assert (! (<= 0 n_step0) :named |12: 0 <= n_step0|))
(assert (! (> 4 n_step0) :named |13: 4 > n_step0|))
(assert (! (not (and true (= i_u i_u) (= (+ l (* 16 n_step0)) (+ l (* 16 n_step0))))) :named |denied: true and i_u = i_u and l + 16*n_step0 = l + 16*n_step0|))
(check-sat)
(pop 1)

; program of top: top holds top
;   decided without a solver, from the structure alone

; program of top: the accumulator cell inside i_e2 stands for the output of its point
; question 41
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e2) :named |4: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |5: 4 > i_e2|))
(assert (! (not (= i_e2 i_e2)) :named |denied: i_e2 = i_e2|))
(check-sat)
(pop 1)

; program of statement 2: it computes statement 2
;   decided without a solver, from the structure alone

; program of top: top has the type of top
;   decided without a solver, from the structure alone

; program of top_sums: top_sums has the type of top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums has the type of top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums has the type of top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums has the type of top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums has the type of top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums has the type of top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums has the type of top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums has the type of top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums has the type of top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums has the type of top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums has the type of top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums has the type of top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums has the type of top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums has the type of top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums has the type of top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums has the type of top_sums
;   decided without a solver, from the structure alone

; program of top: the accumulator cell inside i_e2 stands for the output of its point, and is live
; question 42
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not true) :named |denied: true|))
(check-sat)
(pop 1)

; program of top_sums: top_sums holds top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums inside i_e2 holds top_sums[i, 0] of its point
; question 43
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e2) :named |4: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |5: 4 > i_e2|))
(assert (! (not (and true (= i_e2 i_e2) (= 0 0))) :named |denied: true and i_e2 = i_e2 and 0 = 0|))
(check-sat)
(pop 1)

; program of top_sums: top_sums holds top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums inside i_e2 holds top_sums[i, 8] of its point
; question 44
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e2) :named |4: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |5: 4 > i_e2|))
(assert (! (not (and true (= i_e2 i_e2) (= 8 8))) :named |denied: true and i_e2 = i_e2 and 8 = 8|))
(check-sat)
(pop 1)

; program of top_sums: top_sums holds top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums inside i_e2 holds top_sums[i, 4] of its point
; question 45
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e2) :named |4: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |5: 4 > i_e2|))
(assert (! (not (and true (= i_e2 i_e2) (= 4 4))) :named |denied: true and i_e2 = i_e2 and 4 = 4|))
(check-sat)
(pop 1)

; program of top_sums: top_sums holds top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums inside i_e2 holds top_sums[i, 12] of its point
; question 46
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e2) :named |4: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |5: 4 > i_e2|))
(assert (! (not (and true (= i_e2 i_e2) (= 12 12))) :named |denied: true and i_e2 = i_e2 and 12 = 12|))
(check-sat)
(pop 1)

; program of top_sums: top_sums holds top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums inside i_e2 holds top_sums[i, 2] of its point
; question 47
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e2) :named |4: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |5: 4 > i_e2|))
(assert (! (not (and true (= i_e2 i_e2) (= 2 2))) :named |denied: true and i_e2 = i_e2 and 2 = 2|))
(check-sat)
(pop 1)

; program of top_sums: top_sums holds top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums inside i_e2 holds top_sums[i, 10] of its point
; question 48
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e2) :named |4: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |5: 4 > i_e2|))
(assert (! (not (and true (= i_e2 i_e2) (= 10 10))) :named |denied: true and i_e2 = i_e2 and 10 = 10|))
(check-sat)
(pop 1)

; program of top_sums: top_sums holds top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums inside i_e2 holds top_sums[i, 6] of its point
; question 49
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e2) :named |4: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |5: 4 > i_e2|))
(assert (! (not (and true (= i_e2 i_e2) (= 6 6))) :named |denied: true and i_e2 = i_e2 and 6 = 6|))
(check-sat)
(pop 1)

; program of top_sums: top_sums holds top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums inside i_e2 holds top_sums[i, 14] of its point
; question 50
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e2) :named |4: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |5: 4 > i_e2|))
(assert (! (not (and true (= i_e2 i_e2) (= 14 14))) :named |denied: true and i_e2 = i_e2 and 14 = 14|))
(check-sat)
(pop 1)

; program of top_sums: top_sums holds top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums inside i_e2 holds top_sums[i, 1] of its point
; question 51
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e2) :named |4: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |5: 4 > i_e2|))
(assert (! (not (and true (= i_e2 i_e2) (= 1 1))) :named |denied: true and i_e2 = i_e2 and 1 = 1|))
(check-sat)
(pop 1)

; program of top_sums: top_sums holds top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums inside i_e2 holds top_sums[i, 9] of its point
; question 52
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e2) :named |4: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |5: 4 > i_e2|))
(assert (! (not (and true (= i_e2 i_e2) (= 9 9))) :named |denied: true and i_e2 = i_e2 and 9 = 9|))
(check-sat)
(pop 1)

; program of top_sums: top_sums holds top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums inside i_e2 holds top_sums[i, 5] of its point
; question 53
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e2) :named |4: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |5: 4 > i_e2|))
(assert (! (not (and true (= i_e2 i_e2) (= 5 5))) :named |denied: true and i_e2 = i_e2 and 5 = 5|))
(check-sat)
(pop 1)

; program of top_sums: top_sums holds top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums inside i_e2 holds top_sums[i, 13] of its point
; question 54
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e2) :named |4: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |5: 4 > i_e2|))
(assert (! (not (and true (= i_e2 i_e2) (= 13 13))) :named |denied: true and i_e2 = i_e2 and 13 = 13|))
(check-sat)
(pop 1)

; program of top_sums: top_sums holds top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums inside i_e2 holds top_sums[i, 3] of its point
; question 55
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e2) :named |4: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |5: 4 > i_e2|))
(assert (! (not (and true (= i_e2 i_e2) (= 3 3))) :named |denied: true and i_e2 = i_e2 and 3 = 3|))
(check-sat)
(pop 1)

; program of top_sums: top_sums holds top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums inside i_e2 holds top_sums[i, 11] of its point
; question 56
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e2) :named |4: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |5: 4 > i_e2|))
(assert (! (not (and true (= i_e2 i_e2) (= 11 11))) :named |denied: true and i_e2 = i_e2 and 11 = 11|))
(check-sat)
(pop 1)

; program of top_sums: top_sums holds top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums inside i_e2 holds top_sums[i, 7] of its point
; question 57
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e2) :named |4: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |5: 4 > i_e2|))
(assert (! (not (and true (= i_e2 i_e2) (= 7 7))) :named |denied: true and i_e2 = i_e2 and 7 = 7|))
(check-sat)
(pop 1)

; program of top_sums: top_sums holds top_sums
;   decided without a solver, from the structure alone

; program of top_sums: top_sums inside i_e2 holds top_sums[i, 15] of its point
; question 58
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e2) :named |4: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |5: 4 > i_e2|))
(assert (! (not (and true (= i_e2 i_e2) (= 15 15))) :named |denied: true and i_e2 = i_e2 and 15 = 15|))
(check-sat)
(pop 1)

; program of acc_2: acc_2 holds e
;   decided without a solver, from the structure alone

; program of acc_2: the accumulator cell inside i0, n_u stands for the output of its point
; question 59
(push 1)
(set-info :status unsat)
(declare-fun i0 () Int)
(declare-fun n_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 i0) :named |1: 0 <= i0|))
(assert (! (> 4 i0) :named |2: 4 > i0|))
(assert (! (<= 0 n_u) :named |3: 0 <= n_u|))
(assert (! (> 4 n_u) :named |4: 4 > n_u|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (<= 0 i0) :named |8: 0 <= i0|))
(assert (! (> 4 i0) :named |9: 4 > i0|))
(assert (! (<= 0 (+ l (* 16 n_u))) :named |10: 0 <= l + 16*n_u|))
(assert (! (> 64 (+ l (* 16 n_u))) :named |11: 64 > l + 16*n_u|))
(assert (! (not (and (= i0 i0) (= (+ l (* 16 n_u)) (+ l (* 16 n_u))))) :named |denied: i0 = i0 and l + 16*n_u = l + 16*n_u|))
(check-sat)
(pop 1)

; program of x0_r_2: x0_r_2 holds x
;   decided without a solver, from the structure alone

; program of x0_r_2: x0_r_2 inside i0, n_u holds x[i, n] of its point
; question 60
(push 1)
(set-info :status unsat)
(declare-fun i0 () Int)
(declare-fun n_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 i0) :named |1: 0 <= i0|))
(assert (! (> 4 i0) :named |2: 4 > i0|))
(assert (! (<= 0 n_u) :named |3: 0 <= n_u|))
(assert (! (> 4 n_u) :named |4: 4 > n_u|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (<= 0 i0) :named |8: 0 <= i0|))
(assert (! (> 4 i0) :named |9: 4 > i0|))
(assert (! (<= 0 (+ l (* 16 n_u))) :named |10: 0 <= l + 16*n_u|))
(assert (! (> 64 (+ l (* 16 n_u))) :named |11: 64 > l + 16*n_u|))
(assert (! (not (and true (= i0 i0) (= (+ l (* 16 n_u)) (+ l (* 16 n_u))))) :named |denied: true and i0 = i0 and l + 16*n_u = l + 16*n_u|))
(check-sat)
(pop 1)

; program of x1_r_2: x1_r_2 holds top
;   decided without a solver, from the structure alone

; program of x1_r_2: x1_r_2 inside i0, n_u holds top[i] of its point
; question 61
(push 1)
(set-info :status unsat)
(declare-fun i0 () Int)
(assert (! (<= 0 i0) :named |1: 0 <= i0|))
(assert (! (> 4 i0) :named |2: 4 > i0|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i0) :named |4: 0 <= i0|))
(assert (! (> 4 i0) :named |5: 4 > i0|))
(assert (! (not (and true (= i0 i0))) :named |denied: true and i0 = i0|))
(check-sat)
(pop 1)

; program of acc_3: acc_3 holds total_sums
;   decided without a solver, from the structure alone

; program of acc_3: the accumulator cell inside n_step_0, i_u stands for the output of its point
; question 62
(push 1)
(set-info :status unsat)
(declare-fun i_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 i_u) :named |1: 0 <= i_u|))
(assert (! (> 4 i_u) :named |2: 4 > i_u|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! (<= 0 i_u) :named |6: 0 <= i_u|))
(assert (! (> 4 i_u) :named |7: 4 > i_u|))
(assert (! (<= 0 l) :named |8: 0 <= l|))
(assert (! (> 16 l) :named |9: 16 > l|))
(assert (! (not (and (= i_u i_u) (= l l))) :named |denied: i_u = i_u and l = l|))
(check-sat)
(pop 1)

; program of x0_r_3: x0_r_3 holds e
;   decided without a solver, from the structure alone

; program of x0_r_3: x0_r_3 inside n_step_0, i_u holds e[i, n_part_ + 16*n_step_] of its point
; question 63
(push 1)
(set-info :status unsat)
(declare-fun n_step_0 () Int)
(declare-fun i_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 n_step_0) :named |1: 0 <= n_step_0|))
(assert (! (> 4 n_step_0) :named |2: 4 > n_step_0|))
(assert (! (<= 0 i_u) :named |3: 0 <= i_u|))
(assert (! (> 4 i_u) :named |4: 4 > i_u|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (<= 0 i_u) :named |8: 0 <= i_u|))
(assert (! (> 4 i_u) :named |9: 4 > i_u|))
(assert (! (<= 0 l) :named |10: 0 <= l|))
(assert (! (> 16 l) :named |11: 16 > l|))
(assert (! (<= 0 n_step_0) :named |12: 0 <= n_step_0|))
(assert (! (> 4 n_step_0) :named |13: 4 > n_step_0|))
(assert (! (not (and true (= i_u i_u) (= (+ l (* 16 n_step_0)) (+ l (* 16 n_step_0))))) :named |denied: true and i_u = i_u and l + 16*n_step_0 = l + 16*n_step_0|))
(check-sat)
(pop 1)

; program of total: total holds total
;   decided without a solver, from the structure alone

; program of total: the accumulator cell inside i_e5 stands for the output of its point
; question 64
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e5) :named |4: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |5: 4 > i_e5|))
(assert (! (not (= i_e5 i_e5)) :named |denied: i_e5 = i_e5|))
(check-sat)
(pop 1)

; program of statement 5: it computes statement 5
;   decided without a solver, from the structure alone

; program of total: total has the type of total
;   decided without a solver, from the structure alone

; program of total_sums: total_sums has the type of total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums has the type of total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums has the type of total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums has the type of total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums has the type of total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums has the type of total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums has the type of total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums has the type of total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums has the type of total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums has the type of total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums has the type of total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums has the type of total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums has the type of total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums has the type of total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums has the type of total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums has the type of total_sums
;   decided without a solver, from the structure alone

; program of total: the accumulator cell inside i_e5 stands for the output of its point, and is live
; question 65
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not true) :named |denied: true|))
(check-sat)
(pop 1)

; program of total_sums: total_sums holds total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums inside i_e5 holds total_sums[i, 0] of its point
; question 66
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e5) :named |4: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |5: 4 > i_e5|))
(assert (! (not (and true (= i_e5 i_e5) (= 0 0))) :named |denied: true and i_e5 = i_e5 and 0 = 0|))
(check-sat)
(pop 1)

; program of total_sums: total_sums holds total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums inside i_e5 holds total_sums[i, 8] of its point
; question 67
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e5) :named |4: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |5: 4 > i_e5|))
(assert (! (not (and true (= i_e5 i_e5) (= 8 8))) :named |denied: true and i_e5 = i_e5 and 8 = 8|))
(check-sat)
(pop 1)

; program of total_sums: total_sums holds total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums inside i_e5 holds total_sums[i, 4] of its point
; question 68
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e5) :named |4: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |5: 4 > i_e5|))
(assert (! (not (and true (= i_e5 i_e5) (= 4 4))) :named |denied: true and i_e5 = i_e5 and 4 = 4|))
(check-sat)
(pop 1)

; program of total_sums: total_sums holds total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums inside i_e5 holds total_sums[i, 12] of its point
; question 69
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e5) :named |4: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |5: 4 > i_e5|))
(assert (! (not (and true (= i_e5 i_e5) (= 12 12))) :named |denied: true and i_e5 = i_e5 and 12 = 12|))
(check-sat)
(pop 1)

; program of total_sums: total_sums holds total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums inside i_e5 holds total_sums[i, 2] of its point
; question 70
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e5) :named |4: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |5: 4 > i_e5|))
(assert (! (not (and true (= i_e5 i_e5) (= 2 2))) :named |denied: true and i_e5 = i_e5 and 2 = 2|))
(check-sat)
(pop 1)

; program of total_sums: total_sums holds total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums inside i_e5 holds total_sums[i, 10] of its point
; question 71
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e5) :named |4: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |5: 4 > i_e5|))
(assert (! (not (and true (= i_e5 i_e5) (= 10 10))) :named |denied: true and i_e5 = i_e5 and 10 = 10|))
(check-sat)
(pop 1)

; program of total_sums: total_sums holds total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums inside i_e5 holds total_sums[i, 6] of its point
; question 72
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e5) :named |4: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |5: 4 > i_e5|))
(assert (! (not (and true (= i_e5 i_e5) (= 6 6))) :named |denied: true and i_e5 = i_e5 and 6 = 6|))
(check-sat)
(pop 1)

; program of total_sums: total_sums holds total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums inside i_e5 holds total_sums[i, 14] of its point
; question 73
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e5) :named |4: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |5: 4 > i_e5|))
(assert (! (not (and true (= i_e5 i_e5) (= 14 14))) :named |denied: true and i_e5 = i_e5 and 14 = 14|))
(check-sat)
(pop 1)

; program of total_sums: total_sums holds total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums inside i_e5 holds total_sums[i, 1] of its point
; question 74
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e5) :named |4: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |5: 4 > i_e5|))
(assert (! (not (and true (= i_e5 i_e5) (= 1 1))) :named |denied: true and i_e5 = i_e5 and 1 = 1|))
(check-sat)
(pop 1)

; program of total_sums: total_sums holds total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums inside i_e5 holds total_sums[i, 9] of its point
; question 75
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e5) :named |4: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |5: 4 > i_e5|))
(assert (! (not (and true (= i_e5 i_e5) (= 9 9))) :named |denied: true and i_e5 = i_e5 and 9 = 9|))
(check-sat)
(pop 1)

; program of total_sums: total_sums holds total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums inside i_e5 holds total_sums[i, 5] of its point
; question 76
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e5) :named |4: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |5: 4 > i_e5|))
(assert (! (not (and true (= i_e5 i_e5) (= 5 5))) :named |denied: true and i_e5 = i_e5 and 5 = 5|))
(check-sat)
(pop 1)

; program of total_sums: total_sums holds total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums inside i_e5 holds total_sums[i, 13] of its point
; question 77
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e5) :named |4: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |5: 4 > i_e5|))
(assert (! (not (and true (= i_e5 i_e5) (= 13 13))) :named |denied: true and i_e5 = i_e5 and 13 = 13|))
(check-sat)
(pop 1)

; program of total_sums: total_sums holds total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums inside i_e5 holds total_sums[i, 3] of its point
; question 78
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e5) :named |4: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |5: 4 > i_e5|))
(assert (! (not (and true (= i_e5 i_e5) (= 3 3))) :named |denied: true and i_e5 = i_e5 and 3 = 3|))
(check-sat)
(pop 1)

; program of total_sums: total_sums holds total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums inside i_e5 holds total_sums[i, 11] of its point
; question 79
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e5) :named |4: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |5: 4 > i_e5|))
(assert (! (not (and true (= i_e5 i_e5) (= 11 11))) :named |denied: true and i_e5 = i_e5 and 11 = 11|))
(check-sat)
(pop 1)

; program of total_sums: total_sums holds total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums inside i_e5 holds total_sums[i, 7] of its point
; question 80
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e5) :named |4: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |5: 4 > i_e5|))
(assert (! (not (and true (= i_e5 i_e5) (= 7 7))) :named |denied: true and i_e5 = i_e5 and 7 = 7|))
(check-sat)
(pop 1)

; program of total_sums: total_sums holds total_sums
;   decided without a solver, from the structure alone

; program of total_sums: total_sums inside i_e5 holds total_sums[i, 15] of its point
; question 81
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e5) :named |4: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |5: 4 > i_e5|))
(assert (! (not (and true (= i_e5 i_e5) (= 15 15))) :named |denied: true and i_e5 = i_e5 and 15 = 15|))
(check-sat)
(pop 1)

; program of acc_4: acc_4 holds share
;   decided without a solver, from the structure alone

; program of acc_4: the accumulator cell at the top stands for the output of its point
; question 82
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! false :named |1: False|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! (> 4 l) :named |4: 4 > l|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 4 l) :named |6: 4 > l|))
(assert (! (not (= l l)) :named |denied: l = l|))
(check-sat)
(pop 1)

; program of x0_r_4: x0_r_4 holds total
;   decided without a solver, from the structure alone

; program of x0_r_4: x0_r_4 at the top holds total[i] of its point
; question 83
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! false :named |1: False|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! (> 4 l) :named |4: 4 > l|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 4 l) :named |6: 4 > l|))
(assert (! (not (and (> 4 l) (= l l))) :named |denied: 4 > l and l = l|))
(check-sat)
(pop 1)

; program of acc_4: acc_4 holds share
;   decided without a solver, from the structure alone

; program of acc_4: the accumulator cell at the top stands for the output of its point
; question 84
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! true :named |1: True|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! (> 4 l) :named |4: 4 > l|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 4 l) :named |6: 4 > l|))
(assert (! (not (= l l)) :named |denied: l = l|))
(check-sat)
(pop 1)

; program of x0_r_4: x0_r_4 holds total
;   decided without a solver, from the structure alone

; program of x0_r_4: x0_r_4 at the top holds total[i] of its point
; question 85
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! true :named |1: True|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! (> 4 l) :named |4: 4 > l|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 4 l) :named |6: 4 > l|))
(assert (! (not (and (> 4 l) (= l l))) :named |denied: 4 > l and l = l|))
(check-sat)
(pop 1)

; program of acc_5: acc_5 holds y
;   decided without a solver, from the structure alone

; program of acc_5: the accumulator cell inside i0, n_u stands for the output of its point
; question 86
(push 1)
(set-info :status unsat)
(declare-fun i0 () Int)
(declare-fun n_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 i0) :named |1: 0 <= i0|))
(assert (! (> 4 i0) :named |2: 4 > i0|))
(assert (! (<= 0 n_u) :named |3: 0 <= n_u|))
(assert (! (> 4 n_u) :named |4: 4 > n_u|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (<= 0 i0) :named |8: 0 <= i0|))
(assert (! (> 4 i0) :named |9: 4 > i0|))
(assert (! (<= 0 (+ l (* 16 n_u))) :named |10: 0 <= l + 16*n_u|))
(assert (! (> 64 (+ l (* 16 n_u))) :named |11: 64 > l + 16*n_u|))
(assert (! (not (and (= i0 i0) (= (+ l (* 16 n_u)) (+ l (* 16 n_u))))) :named |denied: i0 = i0 and l + 16*n_u = l + 16*n_u|))
(check-sat)
(pop 1)

; program of a_r_5: a_r_5 holds e
;   decided without a solver, from the structure alone

; program of a_r_5: a_r_5 inside i0, n_u holds e[i, n] of its point
; question 87
(push 1)
(set-info :status unsat)
(declare-fun i0 () Int)
(declare-fun n_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 i0) :named |1: 0 <= i0|))
(assert (! (> 4 i0) :named |2: 4 > i0|))
(assert (! (<= 0 n_u) :named |3: 0 <= n_u|))
(assert (! (> 4 n_u) :named |4: 4 > n_u|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 16 l) :named |6: 16 > l|))
(assert (! true :named |7: true|))
(assert (! (<= 0 i0) :named |8: 0 <= i0|))
(assert (! (> 4 i0) :named |9: 4 > i0|))
(assert (! (<= 0 (+ l (* 16 n_u))) :named |10: 0 <= l + 16*n_u|))
(assert (! (> 64 (+ l (* 16 n_u))) :named |11: 64 > l + 16*n_u|))
(assert (! (not (and true (= i0 i0) (= (+ l (* 16 n_u)) (+ l (* 16 n_u))))) :named |denied: true and i0 = i0 and l + 16*n_u = l + 16*n_u|))
(check-sat)
(pop 1)

; program of b_r_5: b_r_5 holds share
;   decided without a solver, from the structure alone

; program of b_r_5: b_r_5 inside i0, n_u holds share[i] of its point
; question 88
(push 1)
(set-info :status unsat)
(declare-fun i0 () Int)
(assert (! (<= 0 i0) :named |1: 0 <= i0|))
(assert (! (> 4 i0) :named |2: 4 > i0|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i0) :named |4: 0 <= i0|))
(assert (! (> 4 i0) :named |5: 4 > i0|))
(assert (! (not (and true (= i0 i0))) :named |denied: true and i0 = i0|))
(check-sat)
(pop 1)
