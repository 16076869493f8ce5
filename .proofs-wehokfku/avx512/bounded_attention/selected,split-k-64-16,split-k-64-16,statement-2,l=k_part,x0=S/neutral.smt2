(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_attention/selected,split-k-64-16,split-k-64-16,statement-2,l=k_part,x0=S
; claim: neutral
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; neutral: points outside the guard change no live result
;   decided without a solver, from the structure alone
