(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_attention/fmadd_ps,split-k-64-16,split-k-64-16,l=k,a=Q,b=K,at,d=32,h=1,k=64,q=8,within,K=-1..1,Q=-1..1,V=-1..1,z=0.125..0.25
; claim: scalar
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; scalar of operands: element types and operator fit
; scalar of value: the kernel's value is the contract's
; scalar of instruction: the instruction computes its contract
;   decided without a solver, from the structure alone
