(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_layer_norm/selected,split-n-64-16,split-n-64-16,l=n_part,x0=x,at,i=4,n=64,within,b=-1..1,g=0.5..2,x=-4..4
; claim: neutral
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; neutral of selected: outside the kernel's domain all factors are zeros; over the reals (a sum that is -0 may become
;   +0), so a live accumulator keeps its value
; question 1
(push 1)
(set-info :status unsat)
(declare-fun fresh? () Int)
(declare-fun n_step0 () Int)
(declare-fun i_u () Int)
(declare-fun l () Int)
(assert (! (<= 0 fresh?) :named |1: 0 <= fresh?|))
(assert (! (> 2 fresh?) :named |2: 2 > fresh?|))
(assert (! (<= 0 n_step0) :named |3: 0 <= n_step0|))
(assert (! (> 4 n_step0) :named |4: 4 > n_step0|))
(assert (! (<= 0 i_u) :named |5: 0 <= i_u|))
(assert (! (> 4 i_u) :named |6: 4 > i_u|))
(assert (! (<= 0 l) :named |7: 0 <= l|))
(assert (! (> 16 l) :named |8: 16 > l|))
(assert (! true :named |9: true|))
(assert (! (not (and (<= 0 i_u) (> 4 i_u) (<= 0 l) (> 16 l) (<= 0 n_step0) (> 4 n_step0))) :named |10: not (0 <= i_u and 4 > i_u and 0 <= l and 16 > l and 0 <= n_step0 and 4 > n_step0)|))
(assert (! (not (or false false)) :named |denied: false or false|))
(check-sat)
(pop 1)

; neutral of statement 2: a statement is computed at points of its domain only
; question 2
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! (not (and (<= 0 i_e2) (> 4 i_e2))) :named |denied: 0 <= i_e2 and 4 > i_e2|))
(check-sat)
(pop 1)

; neutral of selected: the value is no product, so a live accumulator meets only points of the domain
; question 3
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! false :named |1: False|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! (> 4 l) :named |4: 4 > l|))
(assert (! (not (and (<= 0 l) (> 4 l))) :named |denied: 0 <= l and 4 > l|))
(check-sat)
(pop 1)

; neutral of selected: the value is no product, so a live accumulator meets only points of the domain
; question 4
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

; neutral of selected: the value is no product, so a live accumulator meets only points of the domain
; question 5
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
(assert (! (not (and (<= 0 i_u) (> 4 i_u) (<= 0 l) (> 16 l) (<= 0 n_step_0) (> 4 n_step_0))) :named |denied: 0 <= i_u and 4 > i_u and 0 <= l and 16 > l and 0 <= n_step_0 and 4 > n_step_0|))
(check-sat)
(pop 1)

; neutral of statement 5: a statement is computed at points of its domain only
; question 6
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! (not (and (<= 0 i_e5) (> 4 i_e5))) :named |denied: 0 <= i_e5 and 4 > i_e5|))
(check-sat)
(pop 1)

; neutral of selected: the value is no product, so a live accumulator meets only points of the domain
; question 7
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(assert (! false :named |1: False|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! (> 4 l) :named |4: 4 > l|))
(assert (! (not (and (<= 0 l) (> 4 l))) :named |denied: 0 <= l and 4 > l|))
(check-sat)
(pop 1)

; neutral of selected: the value is no product, so a live accumulator meets only points of the domain
; question 8
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

; neutral of selected: the value is no product, so a live accumulator meets only points of the domain
; question 9
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
