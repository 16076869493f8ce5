(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_softmax/mul_ps,split-n-64-16,split-n-64-16,statement-7,l=n,a=e,b=share
; claim: exclusive
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; exclusive of top_sums: each cell of top_sums is one point of the piece's other axes
;   decided without a solver, from the structure alone

; exclusive of piece 1: no two of its points are the same
; question 1
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun i () Int)
(declare-fun n_part () Int)
(declare-fun n_step () Int)
(declare-fun |i'| () Int)
(declare-fun |n_part'| () Int)
(declare-fun |n_step'| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 0 i) :named |2: 0 <= i|))
(assert (! (< i I) :named |3: i < I|))
(assert (! (<= 0 n_part) :named |4: 0 <= n_part|))
(assert (! (> 16 n_part) :named |5: 16 > n_part|))
(assert (! (<= 0 n_step) :named |6: 0 <= n_step|))
(assert (! (> 4 n_step) :named |7: 4 > n_step|))
(assert (! (and (<= 0 |i'|) (< |i'| I) (<= 0 |n_part'|) (> 16 |n_part'|) (<= 0 |n_step'|) (> 4 |n_step'|)) :named |8: 0 <= i' and i' < I and 0 <= n_part' and 16 > n_part' and 0 <= n_step' and 4 > n_step'|))
(assert (! (= i |i'|) :named |9: i = i'|))
(assert (! (= (+ n_part (* 16 n_step)) (+ |n_part'| (* 16 |n_step'|))) :named |10: n_part + 16*n_step = n_part' + 16*n_step'|))
(assert (! (not (and (= i |i'|) (= n_part |n_part'|) (= n_step |n_step'|))) :named |denied: i = i' and n_part = n_part' and n_step = n_step'|))
(check-sat)
(pop 1)

; exclusive of total_sums: each cell of total_sums is one point of the piece's other axes
;   decided without a solver, from the structure alone

; exclusive of piece 1: no two of its points are the same
; question 2
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun i () Int)
(declare-fun n_part_ () Int)
(declare-fun n_step_ () Int)
(declare-fun |i'| () Int)
(declare-fun |n_part_'| () Int)
(declare-fun |n_step_'| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 0 i) :named |2: 0 <= i|))
(assert (! (< i I) :named |3: i < I|))
(assert (! (<= 0 n_part_) :named |4: 0 <= n_part_|))
(assert (! (> 16 n_part_) :named |5: 16 > n_part_|))
(assert (! (<= 0 n_step_) :named |6: 0 <= n_step_|))
(assert (! (> 4 n_step_) :named |7: 4 > n_step_|))
(assert (! (and (<= 0 |i'|) (< |i'| I) (<= 0 |n_part_'|) (> 16 |n_part_'|) (<= 0 |n_step_'|) (> 4 |n_step_'|)) :named |8: 0 <= i' and i' < I and 0 <= n_part_' and 16 > n_part_' and 0 <= n_step_' and 4 > n_step_'|))
(assert (! (= i |i'|) :named |9: i = i'|))
(assert (! (= (+ n_part_ (* 16 n_step_)) (+ |n_part_'| (* 16 |n_step_'|))) :named |10: n_part_ + 16*n_step_ = n_part_' + 16*n_step_'|))
(assert (! (not (and (= i |i'|) (= n_part_ |n_part_'|) (= n_step_ |n_step_'|))) :named |denied: i = i' and n_part_ = n_part_' and n_step_ = n_step_'|))
(check-sat)
(pop 1)
