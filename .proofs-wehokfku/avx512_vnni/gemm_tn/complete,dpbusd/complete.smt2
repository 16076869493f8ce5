(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512_vnni/gemm_tn/complete,dpbusd
; claim: complete
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; complete: each of 12 candidates is one of 3 listed ones, not in normal form, or excluded by one of 2 witnesses
; question 1: nothing else
(push 1)
(set-info :status unsat)
(declare-fun i.in.l () Bool)
(declare-fun i.in.e () Bool)
(declare-fun j.in.l () Bool)
(declare-fun j.in.e () Bool)
(declare-fun k.in.l () Bool)
(declare-fun k.in.e () Bool)
(assert (! (not (and i.in.l i.in.e)) :named |1: not (i.in.l and i.in.e)|))
(assert (! (not (and j.in.l j.in.e)) :named |2: not (j.in.l and j.in.e)|))
(assert (! (not (and k.in.l k.in.e)) :named |3: not (k.in.l and k.in.e)|))
(assert (! (or i.in.l j.in.l k.in.l) :named |4: i.in.l or j.in.l or k.in.l|))
(assert (! (or i.in.e j.in.e k.in.e) :named |5: i.in.e or j.in.e or k.in.e|))
(assert (! (not i.in.e) :named |6: not i.in.e|))
(assert (! (not j.in.e) :named |7: not j.in.e|))
(assert (! (or i.in.l i.in.e (not j.in.l) (not k.in.e)) :named |8: i.in.l or i.in.e or not j.in.l or not k.in.e|))
(assert (! (or (not i.in.l) j.in.l j.in.e (not k.in.e)) :named |9: not i.in.l or j.in.l or j.in.e or not k.in.e|))
(assert (! (not (and i.in.l j.in.l k.in.e)) :named |denied: i.in.l and j.in.l and k.in.e|))
(check-sat)
(pop 1)
