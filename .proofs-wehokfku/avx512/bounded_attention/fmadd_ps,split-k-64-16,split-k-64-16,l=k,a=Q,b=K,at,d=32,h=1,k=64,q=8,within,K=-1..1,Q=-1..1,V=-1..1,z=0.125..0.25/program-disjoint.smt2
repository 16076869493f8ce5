(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_attention/fmadd_ps,split-k-64-16,split-k-64-16,l=k,a=Q,b=K,at,d=32,h=1,k=64,q=8,within,K=-1..1,Q=-1..1,V=-1..1,z=0.125..0.25
; claim: disjoint
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; disjoint of q_u: iterations of q_u can take turns
;   decided without a solver, from the structure alone

; disjoint of acc_2: two iterations of q_u never touch the same element of acc_2
; question 1
(push 1)
(set-info :status unsat)
(declare-fun q_u () Int)
(declare-fun |q_u'| () Int)
(assert (! (<= 0 q_u) :named |1: 0 <= q_u|))
(assert (! (> 8 q_u) :named |2: 8 > q_u|))
(assert (! true :named |3: true|))
(assert (! (<= 0 |q_u'|) :named |4: 0 <= q_u'|))
(assert (! (> 8 |q_u'|) :named |5: 8 > q_u'|))
(assert (! true :named |6: true|))
(assert (! (= q_u |q_u'|) :named |7: q_u = q_u'|))
(assert (! (not (= q_u |q_u'|)) :named |denied: q_u = q_u'|))
(check-sat)
(pop 1)

; disjoint of k_u: iterations of k_u can take turns
;   decided without a solver, from the structure alone

; disjoint of acc_3: two iterations of k_u never touch the same element of acc_3
; question 2
(push 1)
(set-info :status unsat)
(declare-fun k_u () Int)
(declare-fun |k_u'| () Int)
(assert (! (<= 0 k_u) :named |1: 0 <= k_u|))
(assert (! (> 4 k_u) :named |2: 4 > k_u|))
(assert (! true :named |3: true|))
(assert (! (<= 0 |k_u'|) :named |4: 0 <= k_u'|))
(assert (! (> 4 |k_u'|) :named |5: 4 > k_u'|))
(assert (! true :named |6: true|))
(assert (! (= k_u |k_u'|) :named |7: k_u = k_u'|))
(assert (! (not (= k_u |k_u'|)) :named |denied: k_u = k_u'|))
(check-sat)
(pop 1)

; disjoint of q_u: iterations of q_u can take turns
;   decided without a solver, from the structure alone

; disjoint of acc_4: two iterations of q_u never touch the same element of acc_4
; question 3
(push 1)
(set-info :status unsat)
(declare-fun q_u () Int)
(declare-fun |q_u'| () Int)
(assert (! (<= 0 q_u) :named |1: 0 <= q_u|))
(assert (! (> 8 q_u) :named |2: 8 > q_u|))
(assert (! true :named |3: true|))
(assert (! (<= 0 |q_u'|) :named |4: 0 <= q_u'|))
(assert (! (> 8 |q_u'|) :named |5: 8 > q_u'|))
(assert (! true :named |6: true|))
(assert (! (= q_u |q_u'|) :named |7: q_u = q_u'|))
(assert (! (not (= q_u |q_u'|)) :named |denied: q_u = q_u'|))
(check-sat)
(pop 1)
