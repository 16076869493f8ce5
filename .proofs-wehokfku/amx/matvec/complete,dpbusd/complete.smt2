(set-info :smt-lib-version 2.6)
(set-logic ALL)
; amx/matvec/complete,dpbusd
; claim: complete
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; complete: each of 0 candidates is one of 0 listed ones, not in normal form, or excluded by one of 0 witnesses
;   decided without a solver, from the structure alone
