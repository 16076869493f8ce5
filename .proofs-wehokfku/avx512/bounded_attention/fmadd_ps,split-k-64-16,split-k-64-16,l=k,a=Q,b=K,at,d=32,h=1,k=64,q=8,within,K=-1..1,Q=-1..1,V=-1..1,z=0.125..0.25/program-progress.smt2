(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_attention/fmadd_ps,split-k-64-16,split-k-64-16,l=k,a=Q,b=K,at,d=32,h=1,k=64,q=8,within,K=-1..1,Q=-1..1,V=-1..1,z=0.125..0.25
; claim: progress
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; progress: outputs are not touched ahead of the call
;   decided without a solver, from the structure alone

; progress of acc: acc is loaded, then added to, then stored, each visit inside q0
;   decided without a solver, from the structure alone

; progress of acc: nothing else touches S while acc stands for it
;   decided without a solver, from the structure alone

; progress of acc: every live cell of acc inside q0 is loaded before it is added to
; question 1
(push 1)
(set-info :status unsat)
(declare-fun c_q_u () Int)
(declare-fun c_k_u () Int)
(declare-fun c_l () Int)
(assert (! (<= 0 c_q_u) :named |1: 0 <= c_q_u|))
(assert (! (> 4 c_q_u) :named |2: 4 > c_q_u|))
(assert (! (<= 0 c_k_u) :named |3: 0 <= c_k_u|))
(assert (! (> 4 c_k_u) :named |4: 4 > c_k_u|))
(assert (! (<= 0 c_l) :named |5: 0 <= c_l|))
(assert (! (> 16 c_l) :named |6: 16 > c_l|))
(assert (! true :named |7: true|))
(assert (! (not (and (<= 0 c_q_u) (> 4 c_q_u) (<= 0 c_k_u) (> 4 c_k_u) (<= 0 c_l) (> 16 c_l) (= c_q_u c_q_u) (= c_k_u c_k_u) (= c_l c_l))) :named |denied: 0 <= c_q_u and 4 > c_q_u and 0 <= c_k_u and 4 > c_k_u and 0 <= c_l and 16 > c_l and c_q_u = c...|))
(check-sat)
(pop 1)

; progress of acc: every live cell of acc inside q0 is stored after it was added to
; question 2
(push 1)
(set-info :status unsat)
(declare-fun c_q_u () Int)
(declare-fun c_k_u () Int)
(declare-fun c_l () Int)
(assert (! (<= 0 c_q_u) :named |1: 0 <= c_q_u|))
(assert (! (> 4 c_q_u) :named |2: 4 > c_q_u|))
(assert (! (<= 0 c_k_u) :named |3: 0 <= c_k_u|))
(assert (! (> 4 c_k_u) :named |4: 4 > c_k_u|))
(assert (! (<= 0 c_l) :named |5: 0 <= c_l|))
(assert (! (> 16 c_l) :named |6: 16 > c_l|))
(assert (! true :named |7: true|))
(assert (! (not (and (<= 0 c_q_u) (> 4 c_q_u) (<= 0 c_k_u) (> 4 c_k_u) (<= 0 c_l) (> 16 c_l) (= c_q_u c_q_u) (= c_k_u c_k_u) (= c_l c_l))) :named |denied: 0 <= c_q_u and 4 > c_q_u and 0 <= c_k_u and 4 > c_k_u and 0 <= c_l and 16 > c_l and c_q_u = c...|))
(check-sat)
(pop 1)

; progress of acc_2: acc_2 is loaded, then added to, then stored, each visit at the top
;   decided without a solver, from the structure alone

; progress of acc_2: nothing else touches M_sums while acc_2 stands for it
;   decided without a solver, from the structure alone

; progress of acc_2: every live cell of acc_2 at the top is loaded before it is added to
; question 3
(push 1)
(set-info :status unsat)
(declare-fun c_q_u () Int)
(declare-fun c_l () Int)
(assert (! (<= 0 c_q_u) :named |1: 0 <= c_q_u|))
(assert (! (> 8 c_q_u) :named |2: 8 > c_q_u|))
(assert (! (<= 0 c_l) :named |3: 0 <= c_l|))
(assert (! (> 16 c_l) :named |4: 16 > c_l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 c_q_u) (> 8 c_q_u) (<= 0 c_l) (> 16 c_l) (= c_q_u c_q_u) (= c_l c_l))) :named |denied: 0 <= c_q_u and 8 > c_q_u and 0 <= c_l and 16 > c_l and c_q_u = c_q_u and c_l = c_l|))
(check-sat)
(pop 1)

; progress of acc_2: every live cell of acc_2 at the top is stored after it was added to
; question 4
(push 1)
(set-info :status unsat)
(declare-fun c_q_u () Int)
(declare-fun c_l () Int)
(assert (! (<= 0 c_q_u) :named |1: 0 <= c_q_u|))
(assert (! (> 8 c_q_u) :named |2: 8 > c_q_u|))
(assert (! (<= 0 c_l) :named |3: 0 <= c_l|))
(assert (! (> 16 c_l) :named |4: 16 > c_l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 c_q_u) (> 8 c_q_u) (<= 0 c_l) (> 16 c_l) (= c_q_u c_q_u) (= c_l c_l))) :named |denied: 0 <= c_q_u and 8 > c_q_u and 0 <= c_l and 16 > c_l and c_q_u = c_q_u and c_l = c_l|))
(check-sat)
(pop 1)

; progress of acc_3: acc_3 is loaded, then added to, then stored, each visit inside q0
;   decided without a solver, from the structure alone

; progress of acc_3: nothing else touches E while acc_3 stands for it
;   decided without a solver, from the structure alone

; progress of acc_3: every live cell of acc_3 inside q0 is loaded before it is added to
; question 5
(push 1)
(set-info :status unsat)
(declare-fun c_k_u () Int)
(declare-fun c_l () Int)
(assert (! (<= 0 c_k_u) :named |1: 0 <= c_k_u|))
(assert (! (> 4 c_k_u) :named |2: 4 > c_k_u|))
(assert (! (<= 0 c_l) :named |3: 0 <= c_l|))
(assert (! (> 16 c_l) :named |4: 16 > c_l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 c_k_u) (> 4 c_k_u) (<= 0 c_l) (> 16 c_l) (= c_k_u c_k_u) (= c_l c_l))) :named |denied: 0 <= c_k_u and 4 > c_k_u and 0 <= c_l and 16 > c_l and c_k_u = c_k_u and c_l = c_l|))
(check-sat)
(pop 1)

; progress of acc_3: every live cell of acc_3 inside q0 is stored after it was added to
; question 6
(push 1)
(set-info :status unsat)
(declare-fun c_k_u () Int)
(declare-fun c_l () Int)
(assert (! (<= 0 c_k_u) :named |1: 0 <= c_k_u|))
(assert (! (> 4 c_k_u) :named |2: 4 > c_k_u|))
(assert (! (<= 0 c_l) :named |3: 0 <= c_l|))
(assert (! (> 16 c_l) :named |4: 16 > c_l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 c_k_u) (> 4 c_k_u) (<= 0 c_l) (> 16 c_l) (= c_k_u c_k_u) (= c_l c_l))) :named |denied: 0 <= c_k_u and 4 > c_k_u and 0 <= c_l and 16 > c_l and c_k_u = c_k_u and c_l = c_l|))
(check-sat)
(pop 1)

; progress of acc_4: acc_4 is loaded, then added to, then stored, each visit at the top
;   decided without a solver, from the structure alone

; progress of acc_4: nothing else touches D_sums while acc_4 stands for it
;   decided without a solver, from the structure alone

; progress of acc_4: every live cell of acc_4 at the top is loaded before it is added to
; question 7
(push 1)
(set-info :status unsat)
(declare-fun c_q_u () Int)
(declare-fun c_l () Int)
(assert (! (<= 0 c_q_u) :named |1: 0 <= c_q_u|))
(assert (! (> 8 c_q_u) :named |2: 8 > c_q_u|))
(assert (! (<= 0 c_l) :named |3: 0 <= c_l|))
(assert (! (> 16 c_l) :named |4: 16 > c_l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 c_q_u) (> 8 c_q_u) (<= 0 c_l) (> 16 c_l) (= c_q_u c_q_u) (= c_l c_l))) :named |denied: 0 <= c_q_u and 8 > c_q_u and 0 <= c_l and 16 > c_l and c_q_u = c_q_u and c_l = c_l|))
(check-sat)
(pop 1)

; progress of acc_4: every live cell of acc_4 at the top is stored after it was added to
; question 8
(push 1)
(set-info :status unsat)
(declare-fun c_q_u () Int)
(declare-fun c_l () Int)
(assert (! (<= 0 c_q_u) :named |1: 0 <= c_q_u|))
(assert (! (> 8 c_q_u) :named |2: 8 > c_q_u|))
(assert (! (<= 0 c_l) :named |3: 0 <= c_l|))
(assert (! (> 16 c_l) :named |4: 16 > c_l|))
(assert (! true :named |5: true|))
(assert (! (not (and (<= 0 c_q_u) (> 8 c_q_u) (<= 0 c_l) (> 16 c_l) (= c_q_u c_q_u) (= c_l c_l))) :named |denied: 0 <= c_q_u and 8 > c_q_u and 0 <= c_l and 16 > c_l and c_q_u = c_q_u and c_l = c_l|))
(check-sat)
(pop 1)

; progress of acc_5: acc_5 is loaded, then added to, then stored, each visit at the top
;   decided without a solver, from the structure alone

; progress of acc_5: nothing else touches O while acc_5 stands for it
;   decided without a solver, from the structure alone

; progress of acc_5: every live cell of acc_5 at the top is loaded before it is added to
; question 9
(push 1)
(set-info :status unsat)
(declare-fun c_q_u () Int)
(declare-fun c_d_u () Int)
(declare-fun c_l () Int)
(assert (! (<= 0 c_q_u) :named |1: 0 <= c_q_u|))
(assert (! (> 8 c_q_u) :named |2: 8 > c_q_u|))
(assert (! (<= 0 c_d_u) :named |3: 0 <= c_d_u|))
(assert (! (> 2 c_d_u) :named |4: 2 > c_d_u|))
(assert (! (<= 0 c_l) :named |5: 0 <= c_l|))
(assert (! (> 16 c_l) :named |6: 16 > c_l|))
(assert (! true :named |7: true|))
(assert (! (not (and (<= 0 c_q_u) (> 8 c_q_u) (<= 0 c_d_u) (> 2 c_d_u) (<= 0 c_l) (> 16 c_l) (= c_q_u c_q_u) (= c_d_u c_d_u) (= c_l c_l))) :named |denied: 0 <= c_q_u and 8 > c_q_u and 0 <= c_d_u and 2 > c_d_u and 0 <= c_l and 16 > c_l and c_q_u = c...|))
(check-sat)
(pop 1)

; progress of acc_5: every live cell of acc_5 at the top is stored after it was added to
; question 10
(push 1)
(set-info :status unsat)
(declare-fun c_q_u () Int)
(declare-fun c_d_u () Int)
(declare-fun c_l () Int)
(assert (! (<= 0 c_q_u) :named |1: 0 <= c_q_u|))
(assert (! (> 8 c_q_u) :named |2: 8 > c_q_u|))
(assert (! (<= 0 c_d_u) :named |3: 0 <= c_d_u|))
(assert (! (> 2 c_d_u) :named |4: 2 > c_d_u|))
(assert (! (<= 0 c_l) :named |5: 0 <= c_l|))
(assert (! (> 16 c_l) :named |6: 16 > c_l|))
(assert (! true :named |7: true|))
(assert (! (not (and (<= 0 c_q_u) (> 8 c_q_u) (<= 0 c_d_u) (> 2 c_d_u) (<= 0 c_l) (> 16 c_l) (= c_q_u c_q_u) (= c_d_u c_d_u) (= c_l c_l))) :named |denied: 0 <= c_q_u and 8 > c_q_u and 0 <= c_d_u and 2 > c_d_u and 0 <= c_l and 16 > c_l and c_q_u = c...|))
(check-sat)
(pop 1)

; progress of S: S begins at 0 in the kernel
;   decided without a solver, from the structure alone

; progress of S: acc begins at 0 inside q0, q_uz, k_uz
;   decided without a solver, from the structure alone

; progress of acc: acc stands for other elements wherever q0 are others
; question 11
(push 1)
(set-info :status unsat)
(declare-fun q0 () Int)
(declare-fun c_q_u () Int)
(declare-fun |q0'| () Int)
(declare-fun |c_q_u'| () Int)
(assert (! (<= 0 q0) :named |1: 0 <= q0|))
(assert (! (> 2 q0) :named |2: 2 > q0|))
(assert (! (<= 0 c_q_u) :named |3: 0 <= c_q_u|))
(assert (! (> 4 c_q_u) :named |4: 4 > c_q_u|))
(assert (! true :named |5: true|))
(assert (! (<= 0 |q0'|) :named |6: 0 <= q0'|))
(assert (! (> 2 |q0'|) :named |7: 2 > q0'|))
(assert (! (<= 0 |c_q_u'|) :named |8: 0 <= c_q_u'|))
(assert (! (> 4 |c_q_u'|) :named |9: 4 > c_q_u'|))
(assert (! true :named |10: true|))
(assert (! (= 0 0) :named |11: 0 = 0|))
(assert (! (= (+ c_q_u (* 4 q0)) (+ |c_q_u'| (* 4 |q0'|))) :named |12: c_q_u + 4*q0 = c_q_u' + 4*q0'|))
(assert (! (not (= q0 |q0'|)) :named |denied: q0 = q0'|))
(check-sat)
(pop 1)

; progress of M_sums: M_sums begins at -oo in the kernel
;   decided without a solver, from the structure alone

; progress of M_sums: acc_2 begins at -oo inside q_uz
;   decided without a solver, from the structure alone

; progress of D_sums: D_sums begins at 0 in the kernel
;   decided without a solver, from the structure alone

; progress of D_sums: acc_4 begins at 0 inside q_uz
;   decided without a solver, from the structure alone

; progress of O: O begins at 0 in the kernel
;   decided without a solver, from the structure alone

; progress of O: acc_5 begins at 0 inside q_uz, d_uz
;   decided without a solver, from the structure alone
