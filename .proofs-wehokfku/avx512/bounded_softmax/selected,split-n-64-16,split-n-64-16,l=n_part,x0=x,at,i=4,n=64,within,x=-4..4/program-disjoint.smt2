(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_softmax/selected,split-n-64-16,split-n-64-16,l=n_part,x0=x,at,i=4,n=64,within,x=-4..4
; claim: disjoint
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; disjoint of i_u: iterations of i_u can take turns
;   decided without a solver, from the structure alone

; disjoint of acc: two iterations of i_u never touch the same element of acc
; question 1
(push 1)
(set-info :status unsat)
(declare-fun i_u () Int)
(declare-fun |i_u'| () Int)
(assert (! (<= 0 i_u) :named |1: 0 <= i_u|))
(assert (! (> 4 i_u) :named |2: 4 > i_u|))
(assert (! true :named |3: true|))
(assert (! (<= 0 |i_u'|) :named |4: 0 <= i_u'|))
(assert (! (> 4 |i_u'|) :named |5: 4 > i_u'|))
(assert (! true :named |6: true|))
(assert (! (= i_u |i_u'|) :named |7: i_u = i_u'|))
(assert (! (not (= i_u |i_u'|)) :named |denied: i_u = i_u'|))
(check-sat)
(pop 1)

; disjoint of n_u: iterations of n_u can take turns
;   decided without a solver, from the structure alone

; disjoint of acc_2: two iterations of n_u never touch the same element of acc_2
; question 2
(push 1)
(set-info :status unsat)
(declare-fun n_u () Int)
(declare-fun |n_u'| () Int)
(assert (! (<= 0 n_u) :named |1: 0 <= n_u|))
(assert (! (> 4 n_u) :named |2: 4 > n_u|))
(assert (! true :named |3: true|))
(assert (! (<= 0 |n_u'|) :named |4: 0 <= n_u'|))
(assert (! (> 4 |n_u'|) :named |5: 4 > n_u'|))
(assert (! true :named |6: true|))
(assert (! (= n_u |n_u'|) :named |7: n_u = n_u'|))
(assert (! (not (= n_u |n_u'|)) :named |denied: n_u = n_u'|))
(check-sat)
(pop 1)

; disjoint of i_u: iterations of i_u can take turns
;   decided without a solver, from the structure alone

; disjoint of acc_3: two iterations of i_u never touch the same element of acc_3
; question 3
(push 1)
(set-info :status unsat)
(declare-fun i_u () Int)
(declare-fun |i_u'| () Int)
(assert (! (<= 0 i_u) :named |1: 0 <= i_u|))
(assert (! (> 4 i_u) :named |2: 4 > i_u|))
(assert (! true :named |3: true|))
(assert (! (<= 0 |i_u'|) :named |4: 0 <= i_u'|))
(assert (! (> 4 |i_u'|) :named |5: 4 > i_u'|))
(assert (! true :named |6: true|))
(assert (! (= i_u |i_u'|) :named |7: i_u = i_u'|))
(assert (! (not (= i_u |i_u'|)) :named |denied: i_u = i_u'|))
(check-sat)
(pop 1)
