(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/linear_int8/muladd_u8i8,l=j,a=X,b=W
; claim: hypotheses
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; hypotheses of sizes: some sizes satisfy every hypothesis, and divisors are positive
;   decided without a solver, from the structure alone
