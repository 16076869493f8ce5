(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512_bf16/batched_gemm/dpbf16_ps,l=j,e=k,a=A,b=B
; claim: neutral
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; neutral: points outside the guard change no live result
; question 1: zero product
(push 1)
(set-info :status unsat)
(declare-fun acc () (_ FloatingPoint 8 24))
(assert (! (not (or (= (fp.add roundNearestTiesToEven acc (fp.mul roundNearestTiesToEven (_ +zero 8 24) (_ +zero 8 24))) acc) (fp.eq (fp.add roundNearestTiesToEven acc (fp.mul roundNearestTiesToEven (_ +zero 8 24) (_ +zero 8 24))) acc))) :named |denied: fp.add(RNE(), acc, fp.mul(RNE(), +0.0, +0.0)) = acc or fp.eq(fp.add(RNE(), acc, fp.mul(RNE(),...|))
(check-sat)
(pop 1)
