(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512_vnni/linear_int8/dpwssd,l=j,e=k,a=X,b=W
; claim: scalar
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; scalar of operands: element types and operator fit; X is converted from u8 to i16, which has all its values; W is
;   converted from i8 to i16, which has all its values
; scalar of value: the kernel's value is the contract's
; scalar of instruction: the instruction computes its contract
; question 1: scalar
(push 1)
(set-info :status unsat)
(declare-fun |X[i,k]| () (_ BitVec 8))
(declare-fun |W[k,j]| () (_ BitVec 8))
(assert (! (not (= (bvmul ((_ zero_extend 24) |X[i,k]|) ((_ sign_extend 24) |W[k,j]|)) (bvmul ((_ sign_extend 16) ((_ zero_extend 8) |X[i,k]|)) ((_ sign_extend 16) ((_ sign_extend 8) |W[k,j]|))))) :named |denied: zero_extend(X[i,k])*sign_extend(W[k,j]) = sign_extend(zero_extend(X[i,k]))*sign_extend(sign_e...|))
(check-sat)
(pop 1)
