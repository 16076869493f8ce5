(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_softmax/selected,split-n-64-16,split-n-64-16,statement-6,l=i,x0=total
; claim: bounds
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; bounds of closing: what it adds to lies inside top
; question 1
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun i () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 0 i) :named |2: 0 <= i|))
(assert (! (< i I) :named |3: i < I|))
(assert (! (not (and (<= 0 i) (< i I))) :named |denied: 0 <= i and i < I|))
(check-sat)
(pop 1)

; bounds of piece 1: each of its points is a point of the sum
; question 2
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun i () Int)
(declare-fun n_part () Int)
(declare-fun n_step () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 0 i) :named |2: 0 <= i|))
(assert (! (< i I) :named |3: i < I|))
(assert (! (<= 0 n_part) :named |4: 0 <= n_part|))
(assert (! (> 16 n_part) :named |5: 16 > n_part|))
(assert (! (<= 0 n_step) :named |6: 0 <= n_step|))
(assert (! (> 4 n_step) :named |7: 4 > n_step|))
(assert (! (not (and (<= 0 i) (< i I) (<= 0 (+ n_part (* 16 n_step))) (> 64 (+ n_part (* 16 n_step))))) :named |denied: 0 <= i and i < I and 0 <= n_part + 16*n_step and 64 > n_part + 16*n_step|))
(check-sat)
(pop 1)

; bounds of closing: what it adds to lies inside total
; question 3
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun i () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 0 i) :named |2: 0 <= i|))
(assert (! (< i I) :named |3: i < I|))
(assert (! (not (and (<= 0 i) (< i I))) :named |denied: 0 <= i and i < I|))
(check-sat)
(pop 1)

; bounds of piece 1: each of its points is a point of the sum
; question 4
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun i () Int)
(declare-fun n_part_ () Int)
(declare-fun n_step_ () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 0 i) :named |2: 0 <= i|))
(assert (! (< i I) :named |3: i < I|))
(assert (! (<= 0 n_part_) :named |4: 0 <= n_part_|))
(assert (! (> 16 n_part_) :named |5: 16 > n_part_|))
(assert (! (<= 0 n_step_) :named |6: 0 <= n_step_|))
(assert (! (> 4 n_step_) :named |7: 4 > n_step_|))
(assert (! (not (and (<= 0 i) (< i I) (<= 0 (+ n_part_ (* 16 n_step_))) (> 64 (+ n_part_ (* 16 n_step_))))) :named |denied: 0 <= i and i < I and 0 <= n_part_ + 16*n_step_ and 64 > n_part_ + 16*n_step_|))
(check-sat)
(pop 1)
