(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_softmax/selected,split-n-64-16,split-n-64-16,l=n_part,x0=x,at,i=4,n=64,within,x=-4..4
; claim: progress
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; progress: outputs are not touched ahead of the call
;   decided without a solver, from the structure alone

; progress of acc: acc is loaded, then added to, then stored, each visit at the top
;   decided without a solver, from the structure alone

; progress of acc: nothing else touches top_sums while acc stands for it
;   decided without a solver, from the structure alone

; progress of acc: every live cell of acc at the top is loaded before it is added to
; question 1
(push 1)
(set-info :status unsat)
(declare-fun c_i_u () Int)
(declare-fun c_l () Int)
(assert (! (<= 0 c_i_u) :named |1: 0 <= c_i_u|))
(assert (! (> 4 c_i_u) :named |2: 4 > c_i_u|))
(assert (! (<= 0 c_l) :named |3: 0 <= c_l|))
(assert (! (> 16 c_l) :named |4: 16 > c_l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 c_i_u) (> 4 c_i_u) (<= 0 c_l) (> 16 c_l) (= c_i_u c_i_u) (= c_l c_l))) :named |denied: 0 <= c_i_u and 4 > c_i_u and 0 <= c_l and 16 > c_l and c_i_u = c_i_u and c_l = c_l|))
(check-sat)
(pop 1)

; progress of acc: every live cell of acc at the top is stored after it was added to
; question 2
(push 1)
(set-info :status unsat)
(declare-fun c_i_u () Int)
(declare-fun c_l () Int)
(assert (! (<= 0 c_i_u) :named |1: 0 <= c_i_u|))
(assert (! (> 4 c_i_u) :named |2: 4 > c_i_u|))
(assert (! (<= 0 c_l) :named |3: 0 <= c_l|))
(assert (! (> 16 c_l) :named |4: 16 > c_l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 c_i_u) (> 4 c_i_u) (<= 0 c_l) (> 16 c_l) (= c_i_u c_i_u) (= c_l c_l))) :named |denied: 0 <= c_i_u and 4 > c_i_u and 0 <= c_l and 16 > c_l and c_i_u = c_i_u and c_l = c_l|))
(check-sat)
(pop 1)

; progress of acc_2: acc_2 is loaded, then added to, then stored, each visit inside i0
;   decided without a solver, from the structure alone

; progress of acc_2: nothing else touches e while acc_2 stands for it
;   decided without a solver, from the structure alone

; progress of acc_2: every live cell of acc_2 inside i0 is loaded before it is added to
; question 3
(push 1)
(set-info :status unsat)
(declare-fun c_n_u () Int)
(declare-fun c_l () Int)
(assert (! (<= 0 c_n_u) :named |1: 0 <= c_n_u|))
(assert (! (> 4 c_n_u) :named |2: 4 > c_n_u|))
(assert (! (<= 0 c_l) :named |3: 0 <= c_l|))
(assert (! (> 16 c_l) :named |4: 16 > c_l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 c_n_u) (> 4 c_n_u) (<= 0 c_l) (> 16 c_l) (= c_n_u c_n_u) (= c_l c_l))) :named |denied: 0 <= c_n_u and 4 > c_n_u and 0 <= c_l and 16 > c_l and c_n_u = c_n_u and c_l = c_l|))
(check-sat)
(pop 1)

; progress of acc_2: every live cell of acc_2 inside i0 is stored after it was added to
; question 4
(push 1)
(set-info :status unsat)
(declare-fun c_n_u () Int)
(declare-fun c_l () Int)
(assert (! (<= 0 c_n_u) :named |1: 0 <= c_n_u|))
(assert (! (> 4 c_n_u) :named |2: 4 > c_n_u|))
(assert (! (<= 0 c_l) :named |3: 0 <= c_l|))
(assert (! (> 16 c_l) :named |4: 16 > c_l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 c_n_u) (> 4 c_n_u) (<= 0 c_l) (> 16 c_l) (= c_n_u c_n_u) (= c_l c_l))) :named |denied: 0 <= c_n_u and 4 > c_n_u and 0 <= c_l and 16 > c_l and c_n_u = c_n_u and c_l = c_l|))
(check-sat)
(pop 1)

; progress of acc_3: acc_3 is loaded, then added to, then stored, each visit at the top
;   decided without a solver, from the structure alone

; progress of acc_3: nothing else touches total_sums while acc_3 stands for it
;   decided without a solver, from the structure alone

; progress of acc_3: every live cell of acc_3 at the top is loaded before it is added to
; question 5
(push 1)
(set-info :status unsat)
(declare-fun c_i_u () Int)
(declare-fun c_l () Int)
(assert (! (<= 0 c_i_u) :named |1: 0 <= c_i_u|))
(assert (! (> 4 c_i_u) :named |2: 4 > c_i_u|))
(assert (! (<= 0 c_l) :named |3: 0 <= c_l|))
(assert (! (> 16 c_l) :named |4: 16 > c_l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 c_i_u) (> 4 c_i_u) (<= 0 c_l) (> 16 c_l) (= c_i_u c_i_u) (= c_l c_l))) :named |denied: 0 <= c_i_u and 4 > c_i_u and 0 <= c_l and 16 > c_l and c_i_u = c_i_u and c_l = c_l|))
(check-sat)
(pop 1)

; progress of acc_3: every live cell of acc_3 at the top is stored after it was added to
; question 6
(push 1)
(set-info :status unsat)
(declare-fun c_i_u () Int)
(declare-fun c_l () Int)
(assert (! (<= 0 c_i_u) :named |1: 0 <= c_i_u|))
(assert (! (> 4 c_i_u) :named |2: 4 > c_i_u|))
(assert (! (<= 0 c_l) :named |3: 0 <= c_l|))
(assert (! (> 16 c_l) :named |4: 16 > c_l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 c_i_u) (> 4 c_i_u) (<= 0 c_l) (> 16 c_l) (= c_i_u c_i_u) (= c_l c_l))) :named |denied: 0 <= c_i_u and 4 > c_i_u and 0 <= c_l and 16 > c_l and c_i_u = c_i_u and c_l = c_l|))
(check-sat)
(pop 1)

; progress of acc_4: acc_4 is loaded, then added to, then stored, each visit at the top
;   decided without a solver, from the structure alone

; progress of acc_4: nothing else touches share while acc_4 stands for it
;   decided without a solver, from the structure alone

; progress of acc_4: every live cell of acc_4 at the top is loaded before it is added to
; question 7
(push 1)
(set-info :status unsat)
(declare-fun c_l () Int)
(assert (! (<= 0 c_l) :named |1: 0 <= c_l|))
(assert (! (> 16 c_l) :named |2: 16 > c_l|))
(assert (! (> 4 c_l) :named |3: 4 > c_l|))
(assert (! (not (or (and (<= 0 c_l) (> 16 c_l) false (= c_l c_l)) (and (<= 0 c_l) (> 16 c_l) true (> 4 c_l) (= c_l c_l)))) :named |denied: 0 <= c_l and 16 > c_l and False and c_l = c_l or 0 <= c_l and 16 > c_l and True and 4 > c_l a...|))
(check-sat)
(pop 1)

; progress of acc_4: every live cell of acc_4 at the top is stored after it was added to
; question 8
(push 1)
(set-info :status unsat)
(declare-fun c_l () Int)
(assert (! (<= 0 c_l) :named |1: 0 <= c_l|))
(assert (! (> 16 c_l) :named |2: 16 > c_l|))
(assert (! (> 4 c_l) :named |3: 4 > c_l|))
(assert (! (not (or (and (<= 0 c_l) (> 16 c_l) false (= c_l c_l)) (and (<= 0 c_l) (> 16 c_l) true (> 4 c_l) (= c_l c_l)))) :named |denied: 0 <= c_l and 16 > c_l and False and c_l = c_l or 0 <= c_l and 16 > c_l and True and 4 > c_l a...|))
(check-sat)
(pop 1)

; progress of acc_5: acc_5 is loaded, then added to, then stored, each visit inside i0
;   decided without a solver, from the structure alone

; progress of acc_5: nothing else touches y while acc_5 stands for it
;   decided without a solver, from the structure alone

; progress of acc_5: every live cell of acc_5 inside i0 is loaded before it is added to
; question 9
(push 1)
(set-info :status unsat)
(declare-fun c_n_u () Int)
(declare-fun c_l () Int)
(assert (! (<= 0 c_n_u) :named |1: 0 <= c_n_u|))
(assert (! (> 4 c_n_u) :named |2: 4 > c_n_u|))
(assert (! (<= 0 c_l) :named |3: 0 <= c_l|))
(assert (! (> 16 c_l) :named |4: 16 > c_l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 c_n_u) (> 4 c_n_u) (<= 0 c_l) (> 16 c_l) (= c_n_u c_n_u) (= c_l c_l))) :named |denied: 0 <= c_n_u and 4 > c_n_u and 0 <= c_l and 16 > c_l and c_n_u = c_n_u and c_l = c_l|))
(check-sat)
(pop 1)

; progress of acc_5: every live cell of acc_5 inside i0 is stored after it was added to
; question 10
(push 1)
(set-info :status unsat)
(declare-fun c_n_u () Int)
(declare-fun c_l () Int)
(assert (! (<= 0 c_n_u) :named |1: 0 <= c_n_u|))
(assert (! (> 4 c_n_u) :named |2: 4 > c_n_u|))
(assert (! (<= 0 c_l) :named |3: 0 <= c_l|))
(assert (! (> 16 c_l) :named |4: 16 > c_l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 c_n_u) (> 4 c_n_u) (<= 0 c_l) (> 16 c_l) (= c_n_u c_n_u) (= c_l c_l))) :named |denied: 0 <= c_n_u and 4 > c_n_u and 0 <= c_l and 16 > c_l and c_n_u = c_n_u and c_l = c_l|))
(check-sat)
(pop 1)

; progress of top_sums: top_sums begins at -oo in the kernel
;   decided without a solver, from the structure alone

; progress of top_sums: acc begins at -oo inside i_uz
;   decided without a solver, from the structure alone

; progress of total_sums: total_sums begins at 0 in the kernel
;   decided without a solver, from the structure alone

; progress of total_sums: acc_3 begins at 0 inside i_uz
;   decided without a solver, from the structure alone
