(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_attention/fmadd_ps,split-k-64-16,split-k-64-16,l=k,a=Q,b=K,at,d=32,h=1,k=64,q=8,within,K=-1..1,Q=-1..1,V=-1..1,z=0.125..0.25
; claim: forms
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; forms of M by max_of_16xf32: the machine has its steps
;   decided without a solver, from the structure alone

; forms of M by max_of_16xf32: its elements lie side by side, in their order
;   decided without a solver, from the structure alone

; forms of M by max_of_16xf32: its steps compute the value of the statement, operation by operation
;   decided without a solver, from the structure alone

; forms of D by sum_of_16xf32: the machine has its steps
;   decided without a solver, from the structure alone

; forms of D by sum_of_16xf32: its elements lie side by side, in their order
;   decided without a solver, from the structure alone

; forms of D by sum_of_16xf32: its steps compute the value of the statement, operation by operation
;   decided without a solver, from the structure alone

; forms of copy K -> K_packed: a block keeps the element type
;   decided without a solver, from the structure alone

; forms of copy K -> K_packed: isamap_transpose takes each element where the copy reads it, and puts it where that
;   writes it
; question 1
(push 1)
(set-info :status unsat)
(declare-fun c_d0 () Int)
(declare-fun c_l () Int)
(assert (! (<= 0 c_d0) :named |1: 0 <= c_d0|))
(assert (! (> 32 c_d0) :named |2: 32 > c_d0|))
(assert (! (<= 0 c_l) :named |3: 0 <= c_l|))
(assert (! (> 16 c_l) :named |4: 16 > c_l|))
(assert (! (not (and (= (+ (* 4 c_d0) (* 128 c_l)) (+ (* 4 c_d0) (* 128 c_l))) (= (+ (* 4 c_l) (* 256 c_d0)) (+ (* 4 c_l) (* 256 c_d0))))) :named |denied: 4*c_d0 + 128*c_l = 4*c_d0 + 128*c_l and 4*c_l + 256*c_d0 = 4*c_l + 256*c_d0|))
(check-sat)
(pop 1)

; forms of copy K -> K_packed: a block has the elements of the inner loops
;   decided without a solver, from the structure alone
