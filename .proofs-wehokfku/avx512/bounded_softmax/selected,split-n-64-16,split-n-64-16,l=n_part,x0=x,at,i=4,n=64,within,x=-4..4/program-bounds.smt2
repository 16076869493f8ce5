(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_softmax/selected,split-n-64-16,split-n-64-16,l=n_part,x0=x,at,i=4,n=64,within,x=-4..4
; claim: bounds
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; bounds of broadcast_f32_of_least 0 -> acc: every element of acc that is written lies inside it
; question 1
(push 1)
(set-info :status unsat)
(declare-fun i_uz () Int)
(declare-fun l () Int)
(assert (! (<= 0 i_uz) :named |1: 0 <= i_uz|))
(assert (! (> 4 i_uz) :named |2: 4 > i_uz|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 i_uz) (> 4 i_uz) (<= 0 l) (> 16 l))) :named |denied: 0 <= i_uz and 4 > i_uz and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of load_f32 x -> x0_r: every element of x0_r that is written lies inside it
; question 2
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! true :named |3: true|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of load_f32 x -> x0_r: every element of x that is read lies inside it
; question 3
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
(assert (! (not (and (<= 0 i_u) (> 4 i_u) (<= 0 (+ l (* 16 n_step0))) (> 64 (+ l (* 16 n_step0))))) :named |denied: 0 <= i_u and 4 > i_u and 0 <= l + 16*n_step0 and 64 > l + 16*n_step0|))
(check-sat)
(pop 1)

; bounds of store_f32 acc -> top_sums: every element of top_sums that is written lies inside it
; question 4
(push 1)
(set-info :status unsat)
(declare-fun i_us () Int)
(declare-fun l () Int)
(assert (! (<= 0 i_us) :named |1: 0 <= i_us|))
(assert (! (> 4 i_us) :named |2: 4 > i_us|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 i_us) (> 4 i_us) (<= 0 l) (> 16 l))) :named |denied: 0 <= i_us and 4 > i_us and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of store_f32 acc -> top_sums: every element of acc that is read lies inside it
; question 5
(push 1)
(set-info :status unsat)
(declare-fun i_us () Int)
(declare-fun l () Int)
(assert (! (<= 0 i_us) :named |1: 0 <= i_us|))
(assert (! (> 4 i_us) :named |2: 4 > i_us|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 i_us) (> 4 i_us) (<= 0 l) (> 16 l))) :named |denied: 0 <= i_us and 4 > i_us and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of store_f32 acc -> top_sums: only outputs of the kernel are written
;   decided without a solver, from the structure alone

; bounds of load_f32 e -> acc_2: every element of acc_2 that is written lies inside it
; question 6
(push 1)
(set-info :status unsat)
(declare-fun n_ul () Int)
(declare-fun l () Int)
(assert (! (<= 0 n_ul) :named |1: 0 <= n_ul|))
(assert (! (> 4 n_ul) :named |2: 4 > n_ul|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 n_ul) (> 4 n_ul) (<= 0 l) (> 16 l))) :named |denied: 0 <= n_ul and 4 > n_ul and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of load_f32 e -> acc_2: every element of e that is read lies inside it
; question 7
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
(assert (! (not (and (<= 0 i0) (> 4 i0) (<= 0 (+ l (* 16 n_ul))) (> 64 (+ l (* 16 n_ul))))) :named |denied: 0 <= i0 and 4 > i0 and 0 <= l + 16*n_ul and 64 > l + 16*n_ul|))
(check-sat)
(pop 1)

; bounds of broadcast_f32 top -> x1_r_2: every element of x1_r_2 that is written lies inside it
; question 8
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! true :named |3: true|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of broadcast_f32 top -> x1_r_2: every element of top that is read lies inside it
; question 9
(push 1)
(set-info :status unsat)
(declare-fun i0 () Int)
(assert (! (<= 0 i0) :named |1: 0 <= i0|))
(assert (! (> 4 i0) :named |2: 4 > i0|))
(assert (! true :named |3: true|))
(assert (! (not (and (<= 0 i0) (> 4 i0))) :named |denied: 0 <= i0 and 4 > i0|))
(check-sat)
(pop 1)

; bounds of load_f32 x -> x0_r_2: every element of x0_r_2 that is written lies inside it
; question 10
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! true :named |3: true|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of load_f32 x -> x0_r_2: every element of x that is read lies inside it
; question 11
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
(assert (! (not (and (<= 0 i0) (> 4 i0) (<= 0 (+ l (* 16 n_u))) (> 64 (+ l (* 16 n_u))))) :named |denied: 0 <= i0 and 4 > i0 and 0 <= l + 16*n_u and 64 > l + 16*n_u|))
(check-sat)
(pop 1)

; bounds of store_f32 acc_2 -> e: every element of e that is written lies inside it
; question 12
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
(assert (! (not (and (<= 0 i0) (> 4 i0) (<= 0 (+ l (* 16 n_us))) (> 64 (+ l (* 16 n_us))))) :named |denied: 0 <= i0 and 4 > i0 and 0 <= l + 16*n_us and 64 > l + 16*n_us|))
(check-sat)
(pop 1)

; bounds of store_f32 acc_2 -> e: every element of acc_2 that is read lies inside it
; question 13
(push 1)
(set-info :status unsat)
(declare-fun n_us () Int)
(declare-fun l () Int)
(assert (! (<= 0 n_us) :named |1: 0 <= n_us|))
(assert (! (> 4 n_us) :named |2: 4 > n_us|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 n_us) (> 4 n_us) (<= 0 l) (> 16 l))) :named |denied: 0 <= n_us and 4 > n_us and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of store_f32 acc_2 -> e: only outputs of the kernel are written
;   decided without a solver, from the structure alone

; bounds of zero_f32 0 -> acc_3: every element of acc_3 that is written lies inside it
; question 14
(push 1)
(set-info :status unsat)
(declare-fun i_uz () Int)
(declare-fun l () Int)
(assert (! (<= 0 i_uz) :named |1: 0 <= i_uz|))
(assert (! (> 4 i_uz) :named |2: 4 > i_uz|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 i_uz) (> 4 i_uz) (<= 0 l) (> 16 l))) :named |denied: 0 <= i_uz and 4 > i_uz and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of load_f32 e -> x0_r_3: every element of x0_r_3 that is written lies inside it
; question 15
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! true :named |3: true|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of load_f32 e -> x0_r_3: every element of e that is read lies inside it
; question 16
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
(assert (! (not (and (<= 0 i_u) (> 4 i_u) (<= 0 (+ l (* 16 n_step_0))) (> 64 (+ l (* 16 n_step_0))))) :named |denied: 0 <= i_u and 4 > i_u and 0 <= l + 16*n_step_0 and 64 > l + 16*n_step_0|))
(check-sat)
(pop 1)

; bounds of store_f32 acc_3 -> total_sums: every element of total_sums that is written lies inside it
; question 17
(push 1)
(set-info :status unsat)
(declare-fun i_us () Int)
(declare-fun l () Int)
(assert (! (<= 0 i_us) :named |1: 0 <= i_us|))
(assert (! (> 4 i_us) :named |2: 4 > i_us|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 i_us) (> 4 i_us) (<= 0 l) (> 16 l))) :named |denied: 0 <= i_us and 4 > i_us and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of store_f32 acc_3 -> total_sums: every element of acc_3 that is read lies inside it
; question 18
(push 1)
(set-info :status unsat)
(declare-fun i_us () Int)
(declare-fun l () Int)
(assert (! (<= 0 i_us) :named |1: 0 <= i_us|))
(assert (! (> 4 i_us) :named |2: 4 > i_us|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 i_us) (> 4 i_us) (<= 0 l) (> 16 l))) :named |denied: 0 <= i_us and 4 > i_us and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of store_f32 acc_3 -> total_sums: only outputs of the kernel are written
;   decided without a solver, from the structure alone

; bounds of load_f32 share -> acc_4: every element of acc_4 that is written lies inside it
; question 19
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! false :named |1: False|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! true :named |4: true|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of load_f32 share -> acc_4: every element of share that is read lies inside it
; question 20
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! false :named |1: False|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! true :named |4: true|))
(assert (! (not (and (<= 0 l) (> 4 l))) :named |denied: 0 <= l and 4 > l|))
(check-sat)
(pop 1)

; bounds of masked_load_f32 share -> acc_4: every element of acc_4 that is written lies inside it
; question 21
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! true :named |1: True|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! true :named |4: true|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of masked_load_f32 share -> acc_4: every element of share that is read lies inside it
; question 22
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! true :named |1: True|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! (> 4 l) :named |4: 4 > l|))
(assert (! (not (and (<= 0 l) (> 4 l))) :named |denied: 0 <= l and 4 > l|))
(check-sat)
(pop 1)

; bounds of load_f32 total -> x0_r_4: every element of x0_r_4 that is written lies inside it
; question 23
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! false :named |1: False|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! true :named |4: true|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of load_f32 total -> x0_r_4: every element of total that is read lies inside it
; question 24
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! false :named |1: False|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! true :named |4: true|))
(assert (! (not (and (<= 0 l) (> 4 l))) :named |denied: 0 <= l and 4 > l|))
(check-sat)
(pop 1)

; bounds of masked_load_f32 total -> x0_r_4: every element of x0_r_4 that is written lies inside it
; question 25
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! true :named |1: True|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! true :named |4: true|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of masked_load_f32 total -> x0_r_4: every element of total that is read lies inside it
; question 26
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! true :named |1: True|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! (> 4 l) :named |4: 4 > l|))
(assert (! (not (and (<= 0 l) (> 4 l))) :named |denied: 0 <= l and 4 > l|))
(check-sat)
(pop 1)

; bounds of store_f32 acc_4 -> share: every element of share that is written lies inside it
; question 27
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! false :named |1: False|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! true :named |4: true|))
(assert (! (not (and (<= 0 l) (> 4 l))) :named |denied: 0 <= l and 4 > l|))
(check-sat)
(pop 1)

; bounds of store_f32 acc_4 -> share: every element of acc_4 that is read lies inside it
; question 28
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! false :named |1: False|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! true :named |4: true|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of store_f32 acc_4 -> share: only outputs of the kernel are written
;   decided without a solver, from the structure alone

; bounds of masked_store_f32 acc_4 -> share: every element of share that is written lies inside it
; question 29
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! true :named |1: True|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! (> 4 l) :named |4: 4 > l|))
(assert (! (not (and (<= 0 l) (> 4 l))) :named |denied: 0 <= l and 4 > l|))
(check-sat)
(pop 1)

; bounds of masked_store_f32 acc_4 -> share: every element of acc_4 that is read lies inside it
; question 30
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! true :named |1: True|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! (> 4 l) :named |4: 4 > l|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of masked_store_f32 acc_4 -> share: only outputs of the kernel are written
;   decided without a solver, from the structure alone

; bounds of load_f32 y -> acc_5: every element of acc_5 that is written lies inside it
; question 31
(push 1)
(set-info :status unsat)
(declare-fun n_ul () Int)
(declare-fun l () Int)
(assert (! (<= 0 n_ul) :named |1: 0 <= n_ul|))
(assert (! (> 4 n_ul) :named |2: 4 > n_ul|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 n_ul) (> 4 n_ul) (<= 0 l) (> 16 l))) :named |denied: 0 <= n_ul and 4 > n_ul and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of load_f32 y -> acc_5: every element of y that is read lies inside it
; question 32
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
(assert (! (not (and (<= 0 i0) (> 4 i0) (<= 0 (+ l (* 16 n_ul))) (> 64 (+ l (* 16 n_ul))))) :named |denied: 0 <= i0 and 4 > i0 and 0 <= l + 16*n_ul and 64 > l + 16*n_ul|))
(check-sat)
(pop 1)

; bounds of broadcast_f32 share -> b_r_5: every element of b_r_5 that is written lies inside it
; question 33
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! true :named |3: true|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of broadcast_f32 share -> b_r_5: every element of share that is read lies inside it
; question 34
(push 1)
(set-info :status unsat)
(declare-fun i0 () Int)
(assert (! (<= 0 i0) :named |1: 0 <= i0|))
(assert (! (> 4 i0) :named |2: 4 > i0|))
(assert (! true :named |3: true|))
(assert (! (not (and (<= 0 i0) (> 4 i0))) :named |denied: 0 <= i0 and 4 > i0|))
(check-sat)
(pop 1)

; bounds of load_f32 e -> a_r_5: every element of a_r_5 that is written lies inside it
; question 35
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! true :named |3: true|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of load_f32 e -> a_r_5: every element of e that is read lies inside it
; question 36
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
(assert (! (not (and (<= 0 i0) (> 4 i0) (<= 0 (+ l (* 16 n_u))) (> 64 (+ l (* 16 n_u))))) :named |denied: 0 <= i0 and 4 > i0 and 0 <= l + 16*n_u and 64 > l + 16*n_u|))
(check-sat)
(pop 1)

; bounds of store_f32 acc_5 -> y: every element of y that is written lies inside it
; question 37
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
(assert (! (not (and (<= 0 i0) (> 4 i0) (<= 0 (+ l (* 16 n_us))) (> 64 (+ l (* 16 n_us))))) :named |denied: 0 <= i0 and 4 > i0 and 0 <= l + 16*n_us and 64 > l + 16*n_us|))
(check-sat)
(pop 1)

; bounds of store_f32 acc_5 -> y: every element of acc_5 that is read lies inside it
; question 38
(push 1)
(set-info :status unsat)
(declare-fun n_us () Int)
(declare-fun l () Int)
(assert (! (<= 0 n_us) :named |1: 0 <= n_us|))
(assert (! (> 4 n_us) :named |2: 4 > n_us|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 n_us) (> 4 n_us) (<= 0 l) (> 16 l))) :named |denied: 0 <= n_us and 4 > n_us and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of store_f32 acc_5 -> y: only outputs of the kernel are written
;   decided without a solver, from the structure alone

; bounds of selected: every element of acc that is used lies inside it
; question 39
(push 1)
(set-info :status unsat)
(declare-fun i_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 i_u) :named |1: 0 <= i_u|))
(assert (! (> 4 i_u) :named |2: 4 > i_u|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! (not (and (<= 0 i_u) (> 4 i_u) (<= 0 l) (> 16 l))) :named |denied: 0 <= i_u and 4 > i_u and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of selected: every element of x0_r that is used lies inside it
; question 40
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of statement 2: every element of top that is used lies inside it
; question 41
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! (not (and (<= 0 i_e2) (> 4 i_e2))) :named |denied: 0 <= i_e2 and 4 > i_e2|))
(check-sat)
(pop 1)

; bounds of statement 2: every element of top_sums that is used lies inside it
; question 42
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! (not (and (<= 0 i_e2) (> 4 i_e2) (<= 0 0) (< 0 16))) :named |denied: 0 <= i_e2 and 4 > i_e2 and 0 <= 0 and 0 < 16|))
(check-sat)
(pop 1)

; bounds of statement 2: every element of top_sums that is used lies inside it
; question 43
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! (not (and (<= 0 i_e2) (> 4 i_e2) (<= 0 8) (< 8 16))) :named |denied: 0 <= i_e2 and 4 > i_e2 and 0 <= 8 and 8 < 16|))
(check-sat)
(pop 1)

; bounds of statement 2: every element of top_sums that is used lies inside it
; question 44
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! (not (and (<= 0 i_e2) (> 4 i_e2) (<= 0 4) (< 4 16))) :named |denied: 0 <= i_e2 and 4 > i_e2 and 0 <= 4 and 4 < 16|))
(check-sat)
(pop 1)

; bounds of statement 2: every element of top_sums that is used lies inside it
; question 45
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! (not (and (<= 0 i_e2) (> 4 i_e2) (<= 0 12) (< 12 16))) :named |denied: 0 <= i_e2 and 4 > i_e2 and 0 <= 12 and 12 < 16|))
(check-sat)
(pop 1)

; bounds of statement 2: every element of top_sums that is used lies inside it
; question 46
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! (not (and (<= 0 i_e2) (> 4 i_e2) (<= 0 2) (< 2 16))) :named |denied: 0 <= i_e2 and 4 > i_e2 and 0 <= 2 and 2 < 16|))
(check-sat)
(pop 1)

; bounds of statement 2: every element of top_sums that is used lies inside it
; question 47
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! (not (and (<= 0 i_e2) (> 4 i_e2) (<= 0 10) (< 10 16))) :named |denied: 0 <= i_e2 and 4 > i_e2 and 0 <= 10 and 10 < 16|))
(check-sat)
(pop 1)

; bounds of statement 2: every element of top_sums that is used lies inside it
; question 48
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! (not (and (<= 0 i_e2) (> 4 i_e2) (<= 0 6) (< 6 16))) :named |denied: 0 <= i_e2 and 4 > i_e2 and 0 <= 6 and 6 < 16|))
(check-sat)
(pop 1)

; bounds of statement 2: every element of top_sums that is used lies inside it
; question 49
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! (not (and (<= 0 i_e2) (> 4 i_e2) (<= 0 14) (< 14 16))) :named |denied: 0 <= i_e2 and 4 > i_e2 and 0 <= 14 and 14 < 16|))
(check-sat)
(pop 1)

; bounds of statement 2: every element of top_sums that is used lies inside it
; question 50
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! (not (and (<= 0 i_e2) (> 4 i_e2) (<= 0 1) (< 1 16))) :named |denied: 0 <= i_e2 and 4 > i_e2 and 0 <= 1 and 1 < 16|))
(check-sat)
(pop 1)

; bounds of statement 2: every element of top_sums that is used lies inside it
; question 51
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! (not (and (<= 0 i_e2) (> 4 i_e2) (<= 0 9) (< 9 16))) :named |denied: 0 <= i_e2 and 4 > i_e2 and 0 <= 9 and 9 < 16|))
(check-sat)
(pop 1)

; bounds of statement 2: every element of top_sums that is used lies inside it
; question 52
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! (not (and (<= 0 i_e2) (> 4 i_e2) (<= 0 5) (< 5 16))) :named |denied: 0 <= i_e2 and 4 > i_e2 and 0 <= 5 and 5 < 16|))
(check-sat)
(pop 1)

; bounds of statement 2: every element of top_sums that is used lies inside it
; question 53
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! (not (and (<= 0 i_e2) (> 4 i_e2) (<= 0 13) (< 13 16))) :named |denied: 0 <= i_e2 and 4 > i_e2 and 0 <= 13 and 13 < 16|))
(check-sat)
(pop 1)

; bounds of statement 2: every element of top_sums that is used lies inside it
; question 54
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! (not (and (<= 0 i_e2) (> 4 i_e2) (<= 0 3) (< 3 16))) :named |denied: 0 <= i_e2 and 4 > i_e2 and 0 <= 3 and 3 < 16|))
(check-sat)
(pop 1)

; bounds of statement 2: every element of top_sums that is used lies inside it
; question 55
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! (not (and (<= 0 i_e2) (> 4 i_e2) (<= 0 11) (< 11 16))) :named |denied: 0 <= i_e2 and 4 > i_e2 and 0 <= 11 and 11 < 16|))
(check-sat)
(pop 1)

; bounds of statement 2: every element of top_sums that is used lies inside it
; question 56
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! (not (and (<= 0 i_e2) (> 4 i_e2) (<= 0 7) (< 7 16))) :named |denied: 0 <= i_e2 and 4 > i_e2 and 0 <= 7 and 7 < 16|))
(check-sat)
(pop 1)

; bounds of statement 2: every element of top_sums that is used lies inside it
; question 57
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! (not (and (<= 0 i_e2) (> 4 i_e2) (<= 0 15) (< 15 16))) :named |denied: 0 <= i_e2 and 4 > i_e2 and 0 <= 15 and 15 < 16|))
(check-sat)
(pop 1)

; bounds of statement 2: only outputs of the kernel are written
;   decided without a solver, from the structure alone

; bounds of selected: every element of acc_2 that is used lies inside it
; question 58
(push 1)
(set-info :status unsat)
(declare-fun n_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 n_u) :named |1: 0 <= n_u|))
(assert (! (> 4 n_u) :named |2: 4 > n_u|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! (not (and (<= 0 n_u) (> 4 n_u) (<= 0 l) (> 16 l))) :named |denied: 0 <= n_u and 4 > n_u and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of selected: every element of x0_r_2 that is used lies inside it
; question 59
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of selected: every element of x1_r_2 that is used lies inside it
; question 60
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of selected: every element of acc_3 that is used lies inside it
; question 61
(push 1)
(set-info :status unsat)
(declare-fun i_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 i_u) :named |1: 0 <= i_u|))
(assert (! (> 4 i_u) :named |2: 4 > i_u|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! (not (and (<= 0 i_u) (> 4 i_u) (<= 0 l) (> 16 l))) :named |denied: 0 <= i_u and 4 > i_u and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of selected: every element of x0_r_3 that is used lies inside it
; question 62
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of statement 5: every element of total that is used lies inside it
; question 63
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! (not (and (<= 0 i_e5) (> 4 i_e5))) :named |denied: 0 <= i_e5 and 4 > i_e5|))
(check-sat)
(pop 1)

; bounds of statement 5: every element of total_sums that is used lies inside it
; question 64
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! (not (and (<= 0 i_e5) (> 4 i_e5) (<= 0 0) (< 0 16))) :named |denied: 0 <= i_e5 and 4 > i_e5 and 0 <= 0 and 0 < 16|))
(check-sat)
(pop 1)

; bounds of statement 5: every element of total_sums that is used lies inside it
; question 65
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! (not (and (<= 0 i_e5) (> 4 i_e5) (<= 0 8) (< 8 16))) :named |denied: 0 <= i_e5 and 4 > i_e5 and 0 <= 8 and 8 < 16|))
(check-sat)
(pop 1)

; bounds of statement 5: every element of total_sums that is used lies inside it
; question 66
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! (not (and (<= 0 i_e5) (> 4 i_e5) (<= 0 4) (< 4 16))) :named |denied: 0 <= i_e5 and 4 > i_e5 and 0 <= 4 and 4 < 16|))
(check-sat)
(pop 1)

; bounds of statement 5: every element of total_sums that is used lies inside it
; question 67
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! (not (and (<= 0 i_e5) (> 4 i_e5) (<= 0 12) (< 12 16))) :named |denied: 0 <= i_e5 and 4 > i_e5 and 0 <= 12 and 12 < 16|))
(check-sat)
(pop 1)

; bounds of statement 5: every element of total_sums that is used lies inside it
; question 68
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! (not (and (<= 0 i_e5) (> 4 i_e5) (<= 0 2) (< 2 16))) :named |denied: 0 <= i_e5 and 4 > i_e5 and 0 <= 2 and 2 < 16|))
(check-sat)
(pop 1)

; bounds of statement 5: every element of total_sums that is used lies inside it
; question 69
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! (not (and (<= 0 i_e5) (> 4 i_e5) (<= 0 10) (< 10 16))) :named |denied: 0 <= i_e5 and 4 > i_e5 and 0 <= 10 and 10 < 16|))
(check-sat)
(pop 1)

; bounds of statement 5: every element of total_sums that is used lies inside it
; question 70
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! (not (and (<= 0 i_e5) (> 4 i_e5) (<= 0 6) (< 6 16))) :named |denied: 0 <= i_e5 and 4 > i_e5 and 0 <= 6 and 6 < 16|))
(check-sat)
(pop 1)

; bounds of statement 5: every element of total_sums that is used lies inside it
; question 71
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! (not (and (<= 0 i_e5) (> 4 i_e5) (<= 0 14) (< 14 16))) :named |denied: 0 <= i_e5 and 4 > i_e5 and 0 <= 14 and 14 < 16|))
(check-sat)
(pop 1)

; bounds of statement 5: every element of total_sums that is used lies inside it
; question 72
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! (not (and (<= 0 i_e5) (> 4 i_e5) (<= 0 1) (< 1 16))) :named |denied: 0 <= i_e5 and 4 > i_e5 and 0 <= 1 and 1 < 16|))
(check-sat)
(pop 1)

; bounds of statement 5: every element of total_sums that is used lies inside it
; question 73
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! (not (and (<= 0 i_e5) (> 4 i_e5) (<= 0 9) (< 9 16))) :named |denied: 0 <= i_e5 and 4 > i_e5 and 0 <= 9 and 9 < 16|))
(check-sat)
(pop 1)

; bounds of statement 5: every element of total_sums that is used lies inside it
; question 74
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! (not (and (<= 0 i_e5) (> 4 i_e5) (<= 0 5) (< 5 16))) :named |denied: 0 <= i_e5 and 4 > i_e5 and 0 <= 5 and 5 < 16|))
(check-sat)
(pop 1)

; bounds of statement 5: every element of total_sums that is used lies inside it
; question 75
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! (not (and (<= 0 i_e5) (> 4 i_e5) (<= 0 13) (< 13 16))) :named |denied: 0 <= i_e5 and 4 > i_e5 and 0 <= 13 and 13 < 16|))
(check-sat)
(pop 1)

; bounds of statement 5: every element of total_sums that is used lies inside it
; question 76
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! (not (and (<= 0 i_e5) (> 4 i_e5) (<= 0 3) (< 3 16))) :named |denied: 0 <= i_e5 and 4 > i_e5 and 0 <= 3 and 3 < 16|))
(check-sat)
(pop 1)

; bounds of statement 5: every element of total_sums that is used lies inside it
; question 77
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! (not (and (<= 0 i_e5) (> 4 i_e5) (<= 0 11) (< 11 16))) :named |denied: 0 <= i_e5 and 4 > i_e5 and 0 <= 11 and 11 < 16|))
(check-sat)
(pop 1)

; bounds of statement 5: every element of total_sums that is used lies inside it
; question 78
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! (not (and (<= 0 i_e5) (> 4 i_e5) (<= 0 7) (< 7 16))) :named |denied: 0 <= i_e5 and 4 > i_e5 and 0 <= 7 and 7 < 16|))
(check-sat)
(pop 1)

; bounds of statement 5: every element of total_sums that is used lies inside it
; question 79
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! (not (and (<= 0 i_e5) (> 4 i_e5) (<= 0 15) (< 15 16))) :named |denied: 0 <= i_e5 and 4 > i_e5 and 0 <= 15 and 15 < 16|))
(check-sat)
(pop 1)

; bounds of statement 5: only outputs of the kernel are written
;   decided without a solver, from the structure alone

; bounds of selected: every element of acc_4 that is used lies inside it
; question 80
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! false :named |1: False|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of selected: every element of x0_r_4 that is used lies inside it
; question 81
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! false :named |1: False|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of selected: every element of acc_4 that is used lies inside it
; question 82
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! true :named |1: True|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of selected: every element of x0_r_4 that is used lies inside it
; question 83
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! true :named |1: True|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of mul_ps: every element of acc_5 that is used lies inside it
; question 84
(push 1)
(set-info :status unsat)
(declare-fun n_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 n_u) :named |1: 0 <= n_u|))
(assert (! (> 4 n_u) :named |2: 4 > n_u|))
(assert (! (<= 0 l) :named |3: 0 <= l|))
(assert (! (> 16 l) :named |4: 16 > l|))
(assert (! (not (and (<= 0 n_u) (> 4 n_u) (<= 0 l) (> 16 l))) :named |denied: 0 <= n_u and 4 > n_u and 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of mul_ps: every element of a_r_5 that is used lies inside it
; question 85
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)

; bounds of mul_ps: every element of b_r_5 that is used lies inside it
; question 86
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! (<= 0 l) :named |1: 0 <= l|))
(assert (! (> 16 l) :named |2: 16 > l|))
(assert (! (not (and (<= 0 l) (> 16 l))) :named |denied: 0 <= l and 16 > l|))
(check-sat)
(pop 1)
