(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_softmax/selected,split-n-64-16,split-n-64-16,l=n_part,x0=x,at,i=4,n=64,within,x=-4..4
; claim: link
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; link of kernel: the program's kernel is the mapping's at the schedule's sizes
;   decided without a solver, from the structure alone

; link of scalar: the program computes the scalar that the mapping was proved for
;   decided without a solver, from the structure alone

; link of kernel: the program's kernel is the mapping's at the schedule's sizes
;   decided without a solver, from the structure alone

; link of scalar: the program computes the scalar that the mapping was proved for
;   decided without a solver, from the structure alone

; link of kernel: the program's kernel is the mapping's at the schedule's sizes
;   decided without a solver, from the structure alone

; link of scalar: the program computes the scalar that the mapping was proved for
;   decided without a solver, from the structure alone

; link of kernel: the program's kernel is the mapping's at the schedule's sizes
;   decided without a solver, from the structure alone

; link of scalar: the program computes the scalar that the mapping was proved for
;   decided without a solver, from the structure alone

; link of kernel: the program's kernel is the mapping's at the schedule's sizes
;   decided without a solver, from the structure alone

; link of scalar: the program computes the scalar that the mapping was proved for
;   decided without a solver, from the structure alone

; link of instruction: every execution is the mapping's instruction
;   decided without a solver, from the structure alone

; link of instruction: every execution is the mapping's instruction
;   decided without a solver, from the structure alone

; link of instruction: every execution is the mapping's instruction
;   decided without a solver, from the structure alone

; link of instruction: every execution is the mapping's instruction
;   decided without a solver, from the structure alone

; link of instruction: every execution is the mapping's instruction
;   decided without a solver, from the structure alone

; link of instruction: every execution is the mapping's instruction
;   decided without a solver, from the structure alone

; link: no two executions inside n_step0, i_u compute the same point
; question 1
(push 1)
(set-info :status unsat)
(declare-fun n_step0 () Int)
(declare-fun i_u () Int)
(declare-fun l () Int)
(declare-fun |n_step0'| () Int)
(declare-fun |i_u'| () Int)
(declare-fun |l'| () Int)
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
(assert (! (<= 0 |n_step0'|) :named |14: 0 <= n_step0'|))
(assert (! (> 4 |n_step0'|) :named |15: 4 > n_step0'|))
(assert (! (<= 0 |i_u'|) :named |16: 0 <= i_u'|))
(assert (! (> 4 |i_u'|) :named |17: 4 > i_u'|))
(assert (! (<= 0 |l'|) :named |18: 0 <= l'|))
(assert (! (> 16 |l'|) :named |19: 16 > l'|))
(assert (! true :named |20: true|))
(assert (! (<= 0 |i_u'|) :named |21: 0 <= i_u'|))
(assert (! (> 4 |i_u'|) :named |22: 4 > i_u'|))
(assert (! (<= 0 |l'|) :named |23: 0 <= l'|))
(assert (! (> 16 |l'|) :named |24: 16 > l'|))
(assert (! (<= 0 |n_step0'|) :named |25: 0 <= n_step0'|))
(assert (! (> 4 |n_step0'|) :named |26: 4 > n_step0'|))
(assert (! (= i_u |i_u'|) :named |27: i_u = i_u'|))
(assert (! (= l |l'|) :named |28: l = l'|))
(assert (! (= n_step0 |n_step0'|) :named |29: n_step0 = n_step0'|))
(assert (! (not (and (= i_u |i_u'|) (= n_step0 |n_step0'|) (= l |l'|) (= i_u |i_u'|) (= n_step0 |n_step0'|) (= l |l'|))) :named |denied: i_u = i_u' and n_step0 = n_step0' and l = l' and i_u = i_u' and n_step0 = n_step0' and l = l'|))
(check-sat)
(pop 1)

; link: no two executions inside i_e2 compute the same point
; question 2
(push 1)
(set-info :status unsat)
(declare-fun i_e2 () Int)
(declare-fun |i_e2'| () Int)
(assert (! (<= 0 i_e2) :named |1: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |2: 4 > i_e2|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e2) :named |4: 0 <= i_e2|))
(assert (! (> 4 i_e2) :named |5: 4 > i_e2|))
(assert (! (<= 0 |i_e2'|) :named |6: 0 <= i_e2'|))
(assert (! (> 4 |i_e2'|) :named |7: 4 > i_e2'|))
(assert (! true :named |8: true|))
(assert (! (<= 0 |i_e2'|) :named |9: 0 <= i_e2'|))
(assert (! (> 4 |i_e2'|) :named |10: 4 > i_e2'|))
(assert (! (= i_e2 |i_e2'|) :named |11: i_e2 = i_e2'|))
(assert (! (not (and (= i_e2 |i_e2'|) (= i_e2 |i_e2'|))) :named |denied: i_e2 = i_e2' and i_e2 = i_e2'|))
(check-sat)
(pop 1)

; link: no two executions inside i0, n_u compute the same point
; question 3
(push 1)
(set-info :status unsat)
(declare-fun i0 () Int)
(declare-fun n_u () Int)
(declare-fun l () Int)
(declare-fun |i0'| () Int)
(declare-fun |n_u'| () Int)
(declare-fun |l'| () Int)
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
(assert (! (<= 0 |i0'|) :named |12: 0 <= i0'|))
(assert (! (> 4 |i0'|) :named |13: 4 > i0'|))
(assert (! (<= 0 |n_u'|) :named |14: 0 <= n_u'|))
(assert (! (> 4 |n_u'|) :named |15: 4 > n_u'|))
(assert (! (<= 0 |l'|) :named |16: 0 <= l'|))
(assert (! (> 16 |l'|) :named |17: 16 > l'|))
(assert (! true :named |18: true|))
(assert (! (<= 0 |i0'|) :named |19: 0 <= i0'|))
(assert (! (> 4 |i0'|) :named |20: 4 > i0'|))
(assert (! (<= 0 (+ |l'| (* 16 |n_u'|))) :named |21: 0 <= l' + 16*n_u'|))
(assert (! (> 64 (+ |l'| (* 16 |n_u'|))) :named |22: 64 > l' + 16*n_u'|))
(assert (! (= i0 |i0'|) :named |23: i0 = i0'|))
(assert (! (= (+ l (* 16 n_u)) (+ |l'| (* 16 |n_u'|))) :named |24: l + 16*n_u = l' + 16*n_u'|))
(assert (! (not (and (= i0 |i0'|) (= (+ l (* 16 n_u)) (+ |l'| (* 16 |n_u'|))) (= i0 |i0'|) (= n_u |n_u'|) (= l |l'|))) :named |denied: i0 = i0' and l + 16*n_u = l' + 16*n_u' and i0 = i0' and n_u = n_u' and l = l'|))
(check-sat)
(pop 1)

; link: no two executions inside n_step_0, i_u compute the same point
; question 4
(push 1)
(set-info :status unsat)
(declare-fun n_step_0 () Int)
(declare-fun i_u () Int)
(declare-fun l () Int)
(declare-fun |n_step_0'| () Int)
(declare-fun |i_u'| () Int)
(declare-fun |l'| () Int)
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
(assert (! (<= 0 |n_step_0'|) :named |14: 0 <= n_step_0'|))
(assert (! (> 4 |n_step_0'|) :named |15: 4 > n_step_0'|))
(assert (! (<= 0 |i_u'|) :named |16: 0 <= i_u'|))
(assert (! (> 4 |i_u'|) :named |17: 4 > i_u'|))
(assert (! (<= 0 |l'|) :named |18: 0 <= l'|))
(assert (! (> 16 |l'|) :named |19: 16 > l'|))
(assert (! true :named |20: true|))
(assert (! (<= 0 |i_u'|) :named |21: 0 <= i_u'|))
(assert (! (> 4 |i_u'|) :named |22: 4 > i_u'|))
(assert (! (<= 0 |l'|) :named |23: 0 <= l'|))
(assert (! (> 16 |l'|) :named |24: 16 > l'|))
(assert (! (<= 0 |n_step_0'|) :named |25: 0 <= n_step_0'|))
(assert (! (> 4 |n_step_0'|) :named |26: 4 > n_step_0'|))
(assert (! (= i_u |i_u'|) :named |27: i_u = i_u'|))
(assert (! (= l |l'|) :named |28: l = l'|))
(assert (! (= n_step_0 |n_step_0'|) :named |29: n_step_0 = n_step_0'|))
(assert (! (not (and (= i_u |i_u'|) (= n_step_0 |n_step_0'|) (= l |l'|) (= i_u |i_u'|) (= n_step_0 |n_step_0'|) (= l |l'|))) :named |denied: i_u = i_u' and n_step_0 = n_step_0' and l = l' and i_u = i_u' and n_step_0 = n_step_0' and l ...|))
(check-sat)
(pop 1)

; link: no two executions inside i_e5 compute the same point
; question 5
(push 1)
(set-info :status unsat)
(declare-fun i_e5 () Int)
(declare-fun |i_e5'| () Int)
(assert (! (<= 0 i_e5) :named |1: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |2: 4 > i_e5|))
(assert (! true :named |3: true|))
(assert (! (<= 0 i_e5) :named |4: 0 <= i_e5|))
(assert (! (> 4 i_e5) :named |5: 4 > i_e5|))
(assert (! (<= 0 |i_e5'|) :named |6: 0 <= i_e5'|))
(assert (! (> 4 |i_e5'|) :named |7: 4 > i_e5'|))
(assert (! true :named |8: true|))
(assert (! (<= 0 |i_e5'|) :named |9: 0 <= i_e5'|))
(assert (! (> 4 |i_e5'|) :named |10: 4 > i_e5'|))
(assert (! (= i_e5 |i_e5'|) :named |11: i_e5 = i_e5'|))
(assert (! (not (and (= i_e5 |i_e5'|) (= i_e5 |i_e5'|))) :named |denied: i_e5 = i_e5' and i_e5 = i_e5'|))
(check-sat)
(pop 1)

; link: no two executions at the top compute the same point
; question 6
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(declare-fun |l'| () Int)
(assert (! false :named |1: False|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! (> 4 l) :named |4: 4 > l|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 4 l) :named |6: 4 > l|))
(assert (! false :named |7: False|))
(assert (! (<= 0 |l'|) :named |8: 0 <= l'|))
(assert (! (> 16 |l'|) :named |9: 16 > l'|))
(assert (! (> 4 |l'|) :named |10: 4 > l'|))
(assert (! (<= 0 |l'|) :named |11: 0 <= l'|))
(assert (! (> 4 |l'|) :named |12: 4 > l'|))
(assert (! (= l |l'|) :named |13: l = l'|))
(assert (! (not (and (= l |l'|) (= l |l'|))) :named |denied: l = l' and l = l'|))
(check-sat)
(pop 1)

; link: no two executions at the top compute the same point as those at the top
; question 7
(push 1)
(set-info :status unsat)
(assert (! false :named |1: False|))
(assert (! true :named |2: True|))
(assert (! (not false) :named |denied: false|))
(check-sat)
(pop 1)

; link: no two executions at the top compute the same point
; question 8
(push 1)
(set-info :status unsat)
(declare-fun l () Int)
(declare-fun |l'| () Int)
(assert (! true :named |1: True|))
(assert (! (<= 0 l) :named |2: 0 <= l|))
(assert (! (> 16 l) :named |3: 16 > l|))
(assert (! (> 4 l) :named |4: 4 > l|))
(assert (! (<= 0 l) :named |5: 0 <= l|))
(assert (! (> 4 l) :named |6: 4 > l|))
(assert (! true :named |7: True|))
(assert (! (<= 0 |l'|) :named |8: 0 <= l'|))
(assert (! (> 16 |l'|) :named |9: 16 > l'|))
(assert (! (> 4 |l'|) :named |10: 4 > l'|))
(assert (! (<= 0 |l'|) :named |11: 0 <= l'|))
(assert (! (> 4 |l'|) :named |12: 4 > l'|))
(assert (! (= l |l'|) :named |13: l = l'|))
(assert (! (not (and (= l |l'|) (= l |l'|))) :named |denied: l = l' and l = l'|))
(check-sat)
(pop 1)

; link: no two executions inside i0, n_u compute the same point
; question 9
(push 1)
(set-info :status unsat)
(declare-fun i0 () Int)
(declare-fun n_u () Int)
(declare-fun l () Int)
(declare-fun |i0'| () Int)
(declare-fun |n_u'| () Int)
(declare-fun |l'| () Int)
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
(assert (! (<= 0 |i0'|) :named |12: 0 <= i0'|))
(assert (! (> 4 |i0'|) :named |13: 4 > i0'|))
(assert (! (<= 0 |n_u'|) :named |14: 0 <= n_u'|))
(assert (! (> 4 |n_u'|) :named |15: 4 > n_u'|))
(assert (! (<= 0 |l'|) :named |16: 0 <= l'|))
(assert (! (> 16 |l'|) :named |17: 16 > l'|))
(assert (! true :named |18: true|))
(assert (! (<= 0 |i0'|) :named |19: 0 <= i0'|))
(assert (! (> 4 |i0'|) :named |20: 4 > i0'|))
(assert (! (<= 0 (+ |l'| (* 16 |n_u'|))) :named |21: 0 <= l' + 16*n_u'|))
(assert (! (> 64 (+ |l'| (* 16 |n_u'|))) :named |22: 64 > l' + 16*n_u'|))
(assert (! (= i0 |i0'|) :named |23: i0 = i0'|))
(assert (! (= (+ l (* 16 n_u)) (+ |l'| (* 16 |n_u'|))) :named |24: l + 16*n_u = l' + 16*n_u'|))
(assert (! (not (and (= i0 |i0'|) (= (+ l (* 16 n_u)) (+ |l'| (* 16 |n_u'|))) (= i0 |i0'|) (= n_u |n_u'|) (= l |l'|))) :named |denied: i0 = i0' and l + 16*n_u = l' + 16*n_u' and i0 = i0' and n_u = n_u' and l = l'|))
(check-sat)
(pop 1)
