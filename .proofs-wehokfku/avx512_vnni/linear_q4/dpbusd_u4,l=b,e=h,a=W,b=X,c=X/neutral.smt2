(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512_vnni/linear_q4/dpbusd_u4,l=b,e=h,a=W,b=X,c=X
; claim: neutral
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; neutral: points outside the guard change no live result
;   decided without a solver, from the structure alone
