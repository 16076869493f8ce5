(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_attention/selected,split-k-64-16,split-k-64-16,statement-5,l=k_part_,x0=E
; claim: exclusive
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; exclusive of M_sums: each cell of M_sums is one point of the piece's other axes
;   decided without a solver, from the structure alone

; exclusive of piece 1: no two of its points are the same
; question 1
(push 1)
(set-info :status unsat)
(declare-fun D () Int)
(declare-fun H () Int)
(declare-fun Q () Int)
(declare-fun h () Int)
(declare-fun q () Int)
(declare-fun k_part () Int)
(declare-fun k_step () Int)
(declare-fun |h'| () Int)
(declare-fun |q'| () Int)
(declare-fun |k_part'| () Int)
(declare-fun |k_step'| () Int)
(assert (! (<= 1 D) :named |1: 1 <= D|))
(assert (! (<= 1 H) :named |2: 1 <= H|))
(assert (! (<= 1 Q) :named |3: 1 <= Q|))
(assert (! (<= 0 h) :named |4: 0 <= h|))
(assert (! (< h H) :named |5: h < H|))
(assert (! (<= 0 q) :named |6: 0 <= q|))
(assert (! (< q Q) :named |7: q < Q|))
(assert (! (<= 0 k_part) :named |8: 0 <= k_part|))
(assert (! (> 16 k_part) :named |9: 16 > k_part|))
(assert (! (<= 0 k_step) :named |10: 0 <= k_step|))
(assert (! (> 4 k_step) :named |11: 4 > k_step|))
(assert (! (and (<= 0 |h'|) (< |h'| H) (<= 0 |q'|) (< |q'| Q) (<= 0 |k_part'|) (> 16 |k_part'|) (<= 0 |k_step'|) (> 4 |k_step'|)) :named |12: 0 <= h' and h' < H and 0 <= q' and q' < Q and 0 <= k_part' and 16 > k_part' and 0 <= k_step' ...|))
(assert (! (= h |h'|) :named |13: h = h'|))
(assert (! (= q |q'|) :named |14: q = q'|))
(assert (! (= (+ k_part (* 16 k_step)) (+ |k_part'| (* 16 |k_step'|))) :named |15: k_part + 16*k_step = k_part' + 16*k_step'|))
(assert (! (not (and (= h |h'|) (= q |q'|) (= k_part |k_part'|) (= k_step |k_step'|))) :named |denied: h = h' and q = q' and k_part = k_part' and k_step = k_step'|))
(check-sat)
(pop 1)

; exclusive of D_sums: each cell of D_sums is one point of the piece's other axes
;   decided without a solver, from the structure alone

; exclusive of piece 1: no two of its points are the same
; question 2
(push 1)
(set-info :status unsat)
(declare-fun D () Int)
(declare-fun H () Int)
(declare-fun Q () Int)
(declare-fun h () Int)
(declare-fun q () Int)
(declare-fun k_part_ () Int)
(declare-fun k_step_ () Int)
(declare-fun |h'| () Int)
(declare-fun |q'| () Int)
(declare-fun |k_part_'| () Int)
(declare-fun |k_step_'| () Int)
(assert (! (<= 1 D) :named |1: 1 <= D|))
(assert (! (<= 1 H) :named |2: 1 <= H|))
(assert (! (<= 1 Q) :named |3: 1 <= Q|))
(assert (! (<= 0 h) :named |4: 0 <= h|))
(assert (! (< h H) :named |5: h < H|))
(assert (! (<= 0 q) :named |6: 0 <= q|))
(assert (! (< q Q) :named |7: q < Q|))
(assert (! (<= 0 k_part_) :named |8: 0 <= k_part_|))
(assert (! (> 16 k_part_) :named |9: 16 > k_part_|))
(assert (! (<= 0 k_step_) :named |10: 0 <= k_step_|))
(assert (! (> 4 k_step_) :named |11: 4 > k_step_|))
(assert (! (and (<= 0 |h'|) (< |h'| H) (<= 0 |q'|) (< |q'| Q) (<= 0 |k_part_'|) (> 16 |k_part_'|) (<= 0 |k_step_'|) (> 4 |k_step_'|)) :named |12: 0 <= h' and h' < H and 0 <= q' and q' < Q and 0 <= k_part_' and 16 > k_part_' and 0 <= k_step...|))
(assert (! (= h |h'|) :named |13: h = h'|))
(assert (! (= q |q'|) :named |14: q = q'|))
(assert (! (= (+ k_part_ (* 16 k_step_)) (+ |k_part_'| (* 16 |k_step_'|))) :named |15: k_part_ + 16*k_step_ = k_part_' + 16*k_step_'|))
(assert (! (not (and (= h |h'|) (= q |q'|) (= k_part_ |k_part_'|) (= k_step_ |k_step_'|))) :named |denied: h = h' and q = q' and k_part_ = k_part_' and k_step_ = k_step_'|))
(check-sat)
(pop 1)
