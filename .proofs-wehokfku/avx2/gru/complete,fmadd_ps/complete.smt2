(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx2/gru/complete,fmadd_ps
; claim: complete
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; complete: each of 31 candidates is one of 15 listed ones, not in normal form, or excluded by one of 1 witnesses
; question 1: nothing else
(push 1)
(set-info :status unsat)
(declare-fun t.in.l () Bool)
(declare-fun b.in.l () Bool)
(declare-fun g.in.l () Bool)
(declare-fun j.in.l () Bool)
(declare-fun c.in.l () Bool)
(assert (! (or t.in.l b.in.l g.in.l j.in.l c.in.l) :named |1: t.in.l or b.in.l or g.in.l or j.in.l or c.in.l|))
(assert (! (not c.in.l) :named |2: not c.in.l|))
(assert (! (or t.in.l b.in.l g.in.l (not j.in.l) c.in.l) :named |3: t.in.l or b.in.l or g.in.l or not j.in.l or c.in.l|))
(assert (! (or t.in.l b.in.l (not g.in.l) j.in.l c.in.l) :named |4: t.in.l or b.in.l or not g.in.l or j.in.l or c.in.l|))
(assert (! (or t.in.l (not b.in.l) g.in.l j.in.l c.in.l) :named |5: t.in.l or not b.in.l or g.in.l or j.in.l or c.in.l|))
(assert (! (or (not t.in.l) b.in.l g.in.l j.in.l c.in.l) :named |6: not t.in.l or b.in.l or g.in.l or j.in.l or c.in.l|))
(assert (! (or t.in.l b.in.l (not g.in.l) (not j.in.l) c.in.l) :named |7: t.in.l or b.in.l or not g.in.l or not j.in.l or c.in.l|))
(assert (! (or t.in.l (not b.in.l) g.in.l (not j.in.l) c.in.l) :named |8: t.in.l or not b.in.l or g.in.l or not j.in.l or c.in.l|))
(assert (! (or t.in.l (not b.in.l) (not g.in.l) j.in.l c.in.l) :named |9: t.in.l or not b.in.l or not g.in.l or j.in.l or c.in.l|))
(assert (! (or (not t.in.l) b.in.l g.in.l (not j.in.l) c.in.l) :named |10: not t.in.l or b.in.l or g.in.l or not j.in.l or c.in.l|))
(assert (! (or (not t.in.l) b.in.l (not g.in.l) j.in.l c.in.l) :named |11: not t.in.l or b.in.l or not g.in.l or j.in.l or c.in.l|))
(assert (! (or (not t.in.l) (not b.in.l) g.in.l j.in.l c.in.l) :named |12: not t.in.l or not b.in.l or g.in.l or j.in.l or c.in.l|))
(assert (! (or t.in.l (not b.in.l) (not g.in.l) (not j.in.l) c.in.l) :named |13: t.in.l or not b.in.l or not g.in.l or not j.in.l or c.in.l|))
(assert (! (or (not t.in.l) b.in.l (not g.in.l) (not j.in.l) c.in.l) :named |14: not t.in.l or b.in.l or not g.in.l or not j.in.l or c.in.l|))
(assert (! (or (not t.in.l) (not b.in.l) g.in.l (not j.in.l) c.in.l) :named |15: not t.in.l or not b.in.l or g.in.l or not j.in.l or c.in.l|))
(assert (! (or (not t.in.l) (not b.in.l) (not g.in.l) j.in.l c.in.l) :named |16: not t.in.l or not b.in.l or not g.in.l or j.in.l or c.in.l|))
(assert (! (not (and t.in.l b.in.l g.in.l j.in.l (not c.in.l))) :named |denied: t.in.l and b.in.l and g.in.l and j.in.l and not c.in.l|))
(check-sat)
(pop 1)
