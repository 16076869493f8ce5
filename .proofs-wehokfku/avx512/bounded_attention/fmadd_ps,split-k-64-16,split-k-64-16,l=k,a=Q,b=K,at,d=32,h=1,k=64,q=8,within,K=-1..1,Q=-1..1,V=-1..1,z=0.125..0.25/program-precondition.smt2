(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_attention/fmadd_ps,split-k-64-16,split-k-64-16,l=k,a=Q,b=K,at,d=32,h=1,k=64,q=8,within,K=-1..1,Q=-1..1,V=-1..1,z=0.125..0.25
; claim: precondition
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; precondition of zero_f32 0 -> acc: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of zero_f32 0 -> acc: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 K_packed -> b_r: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 K_packed -> b_r: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 K_packed -> b_r: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 K_packed -> b_r: the lanes of load_f32 are consecutive in K_packed
; question 1
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of broadcast_f32 Q -> a_r: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 Q -> a_r: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 Q -> a_r: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 Q -> a_r: the lanes of broadcast_f32 are consecutive in Q
; question 2
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of store_f32 acc -> S: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of store_f32 acc -> S: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of store_f32 acc -> S: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of store_f32 acc -> S: the lanes of store_f32 are consecutive in S
; question 3
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of broadcast_f32_of_least 0 -> acc_2: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of broadcast_f32_of_least 0 -> acc_2: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 S -> x0_r_2: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 S -> x0_r_2: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 S -> x0_r_2: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 S -> x0_r_2: the lanes of load_f32 are consecutive in S
; question 4
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of store_f32 acc_2 -> M_sums: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_2 -> M_sums: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_2 -> M_sums: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_2 -> M_sums: the lanes of store_f32 are consecutive in M_sums
; question 5
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of load_f32 E -> acc_3: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 E -> acc_3: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 E -> acc_3: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 E -> acc_3: the lanes of load_f32 are consecutive in E
; question 6
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of broadcast_f32 M -> x1_r_3: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 M -> x1_r_3: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 M -> x1_r_3: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 M -> x1_r_3: the lanes of broadcast_f32 are consecutive in M
; question 7
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of broadcast_f32 z -> x2_r_3: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 z -> x2_r_3: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 z -> x2_r_3: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 z -> x2_r_3: the lanes of broadcast_f32 are consecutive in z
; question 8
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of load_f32 S -> x0_r_3: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 S -> x0_r_3: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 S -> x0_r_3: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 S -> x0_r_3: the lanes of load_f32 are consecutive in S
; question 9
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of store_f32 acc_3 -> E: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_3 -> E: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_3 -> E: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_3 -> E: the lanes of store_f32 are consecutive in E
; question 10
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of zero_f32 0 -> acc_4: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of zero_f32 0 -> acc_4: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 E -> x0_r_4: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 E -> x0_r_4: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 E -> x0_r_4: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 E -> x0_r_4: the lanes of load_f32 are consecutive in E
; question 11
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of store_f32 acc_4 -> D_sums: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_4 -> D_sums: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_4 -> D_sums: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_4 -> D_sums: the lanes of store_f32 are consecutive in D_sums
; question 12
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of zero_f32 0 -> acc_5: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of zero_f32 0 -> acc_5: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 V -> b_r_5: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 V -> b_r_5: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 V -> b_r_5: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 V -> b_r_5: the lanes of load_f32 are consecutive in V
; question 13
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of broadcast_f32 E -> a_r_5: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 E -> a_r_5: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 E -> a_r_5: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 E -> a_r_5: the lanes of broadcast_f32 are consecutive in E
; question 14
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of store_f32 acc_5 -> O: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_5 -> O: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_5 -> O: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_5 -> O: the lanes of store_f32 are consecutive in O
; question 15
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)
