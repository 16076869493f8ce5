(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx2/pointwise_conv2d/mullo_i32,l=k,a=I,b=W
; claim: neutral
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; neutral: points outside the guard change no live result
;   decided without a solver, from the structure alone
