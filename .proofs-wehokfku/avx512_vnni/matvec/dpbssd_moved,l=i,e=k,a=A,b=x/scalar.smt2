(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512_vnni/matvec/dpbssd_moved,l=i,e=k,a=A,b=x
; claim: scalar
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; scalar of operands: element types and operator fit
; scalar of value: the kernel's value is the contract's
; scalar of instruction: the instruction computes its contract
; question 1: scalar
(push 1)
(set-info :status unsat)
(declare-fun |a[l,0]| () (_ BitVec 8))
(declare-fun |b[l,0]| () (_ BitVec 8))
(declare-fun |a[l,1]| () (_ BitVec 8))
(declare-fun |b[l,1]| () (_ BitVec 8))
(declare-fun |a[l,2]| () (_ BitVec 8))
(declare-fun |b[l,2]| () (_ BitVec 8))
(declare-fun |a[l,3]| () (_ BitVec 8))
(declare-fun |b[l,3]| () (_ BitVec 8))
(assert (! (not (= (bvadd (bvadd (bvadd (bvmul ((_ sign_extend 24) |a[l,0]|) ((_ sign_extend 24) |b[l,0]|)) (bvmul ((_ sign_extend 24) |a[l,1]|) ((_ sign_extend 24) |b[l,1]|))) (bvmul ((_ sign_extend 24) |a[l,2]|) ((_ sign_extend 24) |b[l,2]|))) (bvmul ((_ sign_extend 24) |a[l,3]|) ((_ sign_extend 24) |b[l,3]|))) (bvadd (bvadd (bvadd (bvsub (bvmul ((_ zero_extend 24) ((_ extract 7 0) (bvadd ((_ sign_extend 24) |a[l,0]|) (_ bv128 32)))) ((_ sign_extend 24) |b[l,0]|)) (bvmul (_ bv128 32) ((_ sign_extend 24) |b[l,0]|))) (bvsub (bvmul ((_ zero_extend 24) ((_ extract 7 0) (bvadd ((_ sign_extend 24) |a[l,1]|) (_ bv128 32)))) ((_ sign_extend 24) |b[l,1]|)) (bvmul (_ bv128 32) ((_ sign_extend 24) |b[l,1]|)))) (bvsub (bvmul ((_ zero_extend 24) ((_ extract 7 0) (bvadd ((_ sign_extend 24) |a[l,2]|) (_ bv128 32)))) ((_ sign_extend 24) |b[l,2]|)) (bvmul (_ bv128 32) ((_ sign_extend 24) |b[l,2]|)))) (bvsub (bvmul ((_ zero_extend 24) ((_ extract 7 0) (bvadd ((_ sign_extend 24) |a[l,3]|) (_ bv128 32)))) ((_ sign_extend 24) |b[l,3]|)) (bvmul (_ bv128 32) ((_ sign_extend 24) |b[l,3]|)))))) :named |denied: sign_extend(a[l,0])*sign_extend(b[l,0]) + sign_extend(a[l,1])*sign_extend(b[l,1]) + sign_exte...|))
(check-sat)
(pop 1)
