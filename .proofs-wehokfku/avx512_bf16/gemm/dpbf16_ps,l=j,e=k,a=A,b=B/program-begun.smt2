(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512_bf16/gemm/dpbf16_ps,l=j,e=k,a=A,b=B
; claim: begun
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; begun of C: every element of the result C is begun
;   decided without a solver, from the structure alone
