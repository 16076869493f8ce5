(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx2/batched_gemm/complete,fmadd_ps
; claim: complete
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; complete: each of 15 candidates is one of 7 listed ones, not in normal form, or excluded by one of 1 witnesses
; question 1: nothing else
(push 1)
(set-info :status unsat)
(declare-fun b.in.l () Bool)
(declare-fun i.in.l () Bool)
(declare-fun j.in.l () Bool)
(declare-fun k.in.l () Bool)
(assert (! (or b.in.l i.in.l j.in.l k.in.l) :named |1: b.in.l or i.in.l or j.in.l or k.in.l|))
(assert (! (not k.in.l) :named |2: not k.in.l|))
(assert (! (or b.in.l i.in.l (not j.in.l) k.in.l) :named |3: b.in.l or i.in.l or not j.in.l or k.in.l|))
(assert (! (or b.in.l (not i.in.l) j.in.l k.in.l) :named |4: b.in.l or not i.in.l or j.in.l or k.in.l|))
(assert (! (or (not b.in.l) i.in.l j.in.l k.in.l) :named |5: not b.in.l or i.in.l or j.in.l or k.in.l|))
(assert (! (or b.in.l (not i.in.l) (not j.in.l) k.in.l) :named |6: b.in.l or not i.in.l or not j.in.l or k.in.l|))
(assert (! (or (not b.in.l) i.in.l (not j.in.l) k.in.l) :named |7: not b.in.l or i.in.l or not j.in.l or k.in.l|))
(assert (! (or (not b.in.l) (not i.in.l) j.in.l k.in.l) :named |8: not b.in.l or not i.in.l or j.in.l or k.in.l|))
(assert (! (not (and b.in.l i.in.l j.in.l (not k.in.l))) :named |denied: b.in.l and i.in.l and j.in.l and not k.in.l|))
(check-sat)
(pop 1)
