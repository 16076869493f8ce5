(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx2/pointwise_conv2d/complete,fmadd_ps
; claim: complete
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; complete: each of 31 candidates is one of 15 listed ones, not in normal form, or excluded by one of 1 witnesses
; question 1: nothing else
(push 1)
(set-info :status unsat)
(declare-fun n.in.l () Bool)
(declare-fun p.in.l () Bool)
(declare-fun q.in.l () Bool)
(declare-fun k.in.l () Bool)
(declare-fun c.in.l () Bool)
(assert (! (or n.in.l p.in.l q.in.l k.in.l c.in.l) :named |1: n.in.l or p.in.l or q.in.l or k.in.l or c.in.l|))
(assert (! (not c.in.l) :named |2: not c.in.l|))
(assert (! (or n.in.l p.in.l q.in.l (not k.in.l) c.in.l) :named |3: n.in.l or p.in.l or q.in.l or not k.in.l or c.in.l|))
(assert (! (or n.in.l p.in.l (not q.in.l) k.in.l c.in.l) :named |4: n.in.l or p.in.l or not q.in.l or k.in.l or c.in.l|))
(assert (! (or n.in.l (not p.in.l) q.in.l k.in.l c.in.l) :named |5: n.in.l or not p.in.l or q.in.l or k.in.l or c.in.l|))
(assert (! (or (not n.in.l) p.in.l q.in.l k.in.l c.in.l) :named |6: not n.in.l or p.in.l or q.in.l or k.in.l or c.in.l|))
(assert (! (or n.in.l p.in.l (not q.in.l) (not k.in.l) c.in.l) :named |7: n.in.l or p.in.l or not q.in.l or not k.in.l or c.in.l|))
(assert (! (or n.in.l (not p.in.l) q.in.l (not k.in.l) c.in.l) :named |8: n.in.l or not p.in.l or q.in.l or not k.in.l or c.in.l|))
(assert (! (or n.in.l (not p.in.l) (not q.in.l) k.in.l c.in.l) :named |9: n.in.l or not p.in.l or not q.in.l or k.in.l or c.in.l|))
(assert (! (or (not n.in.l) p.in.l q.in.l (not k.in.l) c.in.l) :named |10: not n.in.l or p.in.l or q.in.l or not k.in.l or c.in.l|))
(assert (! (or (not n.in.l) p.in.l (not q.in.l) k.in.l c.in.l) :named |11: not n.in.l or p.in.l or not q.in.l or k.in.l or c.in.l|))
(assert (! (or (not n.in.l) (not p.in.l) q.in.l k.in.l c.in.l) :named |12: not n.in.l or not p.in.l or q.in.l or k.in.l or c.in.l|))
(assert (! (or n.in.l (not p.in.l) (not q.in.l) (not k.in.l) c.in.l) :named |13: n.in.l or not p.in.l or not q.in.l or not k.in.l or c.in.l|))
(assert (! (or (not n.in.l) p.in.l (not q.in.l) (not k.in.l) c.in.l) :named |14: not n.in.l or p.in.l or not q.in.l or not k.in.l or c.in.l|))
(assert (! (or (not n.in.l) (not p.in.l) q.in.l (not k.in.l) c.in.l) :named |15: not n.in.l or not p.in.l or q.in.l or not k.in.l or c.in.l|))
(assert (! (or (not n.in.l) (not p.in.l) (not q.in.l) k.in.l c.in.l) :named |16: not n.in.l or not p.in.l or not q.in.l or k.in.l or c.in.l|))
(assert (! (not (and n.in.l p.in.l q.in.l k.in.l (not c.in.l))) :named |denied: n.in.l and p.in.l and q.in.l and k.in.l and not c.in.l|))
(check-sat)
(pop 1)
