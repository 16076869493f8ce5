(set-info :smt-lib-version 2.6)
(set-logic ALL)
; amx/lstm/dpbsud,i=b,j=j,k=c,a=X,b=W
; claim: neutral
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; neutral: points outside the guard change no live result
; question 1: neutral element
(push 1)
(set-info :status unsat)
(declare-fun acc () (_ BitVec 32))
(assert (! (not (= (bvadd acc (_ bv0 32)) acc)) :named |denied: acc + 0 = acc|))
(check-sat)
(pop 1)
