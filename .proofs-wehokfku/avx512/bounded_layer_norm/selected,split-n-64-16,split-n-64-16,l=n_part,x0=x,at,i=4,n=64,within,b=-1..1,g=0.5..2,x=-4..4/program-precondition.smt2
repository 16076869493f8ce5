(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_layer_norm/selected,split-n-64-16,split-n-64-16,l=n_part,x0=x,at,i=4,n=64,within,b=-1..1,g=0.5..2,x=-4..4
; claim: precondition
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; precondition of zero_f32 0 -> acc: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of zero_f32 0 -> acc: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 x -> x0_r: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 x -> x0_r: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 x -> x0_r: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 x -> x0_r: the lanes of load_f32 are consecutive in x
; question 1
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of store_f32 acc -> s_sums: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of store_f32 acc -> s_sums: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of store_f32 acc -> s_sums: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of store_f32 acc -> s_sums: the lanes of store_f32 are consecutive in s_sums
; question 2
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of load_f32 m -> acc_2: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 m -> acc_2: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 m -> acc_2: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 m -> acc_2: the lanes of load_f32 are consecutive in m
; question 3
(push 1)
(set-info :status unsat)
(assert (! false :named |1: False|))
(assert (! true :named |2: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of masked_load_f32 m -> acc_2: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 m -> acc_2: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 m -> acc_2: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 m -> acc_2: the lanes of masked_load_f32 are consecutive in m
; question 4
(push 1)
(set-info :status unsat)
(assert (! true :named |1: True|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of load_f32 s -> x0_r_2: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 s -> x0_r_2: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 s -> x0_r_2: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 s -> x0_r_2: the lanes of load_f32 are consecutive in s
; question 5
(push 1)
(set-info :status unsat)
(assert (! false :named |1: False|))
(assert (! true :named |2: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of masked_load_f32 s -> x0_r_2: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 s -> x0_r_2: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 s -> x0_r_2: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 s -> x0_r_2: the lanes of masked_load_f32 are consecutive in s
; question 6
(push 1)
(set-info :status unsat)
(assert (! true :named |1: True|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of store_f32 acc_2 -> m: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_2 -> m: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_2 -> m: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_2 -> m: the lanes of store_f32 are consecutive in m
; question 7
(push 1)
(set-info :status unsat)
(assert (! false :named |1: False|))
(assert (! true :named |2: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of masked_store_f32 acc_2 -> m: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of masked_store_f32 acc_2 -> m: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of masked_store_f32 acc_2 -> m: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of masked_store_f32 acc_2 -> m: the lanes of masked_store_f32 are consecutive in m
; question 8
(push 1)
(set-info :status unsat)
(assert (! true :named |1: True|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of zero_f32 0 -> acc_3: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of zero_f32 0 -> acc_3: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 m -> x1_r_3: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 m -> x1_r_3: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 m -> x1_r_3: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 m -> x1_r_3: the lanes of broadcast_f32 are consecutive in m
; question 9
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of load_f32 x -> x0_r_3: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 x -> x0_r_3: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 x -> x0_r_3: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 x -> x0_r_3: the lanes of load_f32 are consecutive in x
; question 10
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of store_f32 acc_3 -> q_sums: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_3 -> q_sums: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_3 -> q_sums: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_3 -> q_sums: the lanes of store_f32 are consecutive in q_sums
; question 11
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of load_f32 r -> acc_4: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 r -> acc_4: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 r -> acc_4: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 r -> acc_4: the lanes of load_f32 are consecutive in r
; question 12
(push 1)
(set-info :status unsat)
(assert (! false :named |1: False|))
(assert (! true :named |2: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of masked_load_f32 r -> acc_4: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 r -> acc_4: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 r -> acc_4: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 r -> acc_4: the lanes of masked_load_f32 are consecutive in r
; question 13
(push 1)
(set-info :status unsat)
(assert (! true :named |1: True|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of load_f32 q -> x0_r_4: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 q -> x0_r_4: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 q -> x0_r_4: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 q -> x0_r_4: the lanes of load_f32 are consecutive in q
; question 14
(push 1)
(set-info :status unsat)
(assert (! false :named |1: False|))
(assert (! true :named |2: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of masked_load_f32 q -> x0_r_4: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 q -> x0_r_4: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 q -> x0_r_4: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 q -> x0_r_4: the lanes of masked_load_f32 are consecutive in q
; question 15
(push 1)
(set-info :status unsat)
(assert (! true :named |1: True|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of store_f32 acc_4 -> r: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_4 -> r: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_4 -> r: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_4 -> r: the lanes of store_f32 are consecutive in r
; question 16
(push 1)
(set-info :status unsat)
(assert (! false :named |1: False|))
(assert (! true :named |2: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of masked_store_f32 acc_4 -> r: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of masked_store_f32 acc_4 -> r: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of masked_store_f32 acc_4 -> r: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of masked_store_f32 acc_4 -> r: the lanes of masked_store_f32 are consecutive in r
; question 17
(push 1)
(set-info :status unsat)
(assert (! true :named |1: True|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of load_f32 y -> acc_5: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 y -> acc_5: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 y -> acc_5: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 y -> acc_5: the lanes of load_f32 are consecutive in y
; question 18
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of broadcast_f32 m -> x1_r_5: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 m -> x1_r_5: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 m -> x1_r_5: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 m -> x1_r_5: the lanes of broadcast_f32 are consecutive in m
; question 19
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of broadcast_f32 r -> x2_r_5: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 r -> x2_r_5: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 r -> x2_r_5: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 r -> x2_r_5: the lanes of broadcast_f32 are consecutive in r
; question 20
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of load_f32 g -> x3_r_5: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 g -> x3_r_5: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 g -> x3_r_5: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 g -> x3_r_5: the lanes of load_f32 are consecutive in g
; question 21
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of load_f32 b -> x4_r_5: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 b -> x4_r_5: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 b -> x4_r_5: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 b -> x4_r_5: the lanes of load_f32 are consecutive in b
; question 22
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of load_f32 x -> x0_r_5: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 x -> x0_r_5: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 x -> x0_r_5: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 x -> x0_r_5: the lanes of load_f32 are consecutive in x
; question 23
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of store_f32 acc_5 -> y: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_5 -> y: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_5 -> y: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_5 -> y: the lanes of store_f32 are consecutive in y
; question 24
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)
