(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512_bf16/pointwise_conv2d/dpbf16_ps,l=k,e=c,a=I,b=W
; claim: begun
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; begun of O: every element of the result O is begun
;   decided without a solver, from the structure alone
