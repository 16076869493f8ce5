(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_attention/selected,split-k-64-16,split-k-64-16,statement-4,l=k,x0=S,x1=M,x2=z
; claim: hypotheses
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; hypotheses of sizes: some sizes satisfy every hypothesis, and divisors are positive
;   decided without a solver, from the structure alone
