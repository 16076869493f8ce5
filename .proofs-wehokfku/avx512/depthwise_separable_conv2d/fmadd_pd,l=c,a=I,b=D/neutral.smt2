(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/depthwise_separable_conv2d/fmadd_pd,l=c,a=I,b=D
; claim: neutral
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; neutral: points outside the guard change no live result
;   decided without a solver, from the structure alone
