(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx2/gemm/complete,mullo_i32
; claim: complete
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; complete: each of 7 candidates is one of 3 listed ones, not in normal form, or excluded by one of 1 witnesses
; question 1: nothing else
(push 1)
(set-info :status unsat)
(declare-fun i.in.l () Bool)
(declare-fun j.in.l () Bool)
(declare-fun k.in.l () Bool)
(assert (! (or i.in.l j.in.l k.in.l) :named |1: i.in.l or j.in.l or k.in.l|))
(assert (! (not k.in.l) :named |2: not k.in.l|))
(assert (! (or i.in.l (not j.in.l) k.in.l) :named |3: i.in.l or not j.in.l or k.in.l|))
(assert (! (or (not i.in.l) j.in.l k.in.l) :named |4: not i.in.l or j.in.l or k.in.l|))
(assert (! (not (and i.in.l j.in.l (not k.in.l))) :named |denied: i.in.l and j.in.l and not k.in.l|))
(check-sat)
(pop 1)
