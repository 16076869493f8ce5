(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_softmax/selected,split-n-64-16,split-n-64-16,l=n_part,x0=x,at,i=4,n=64,within,x=-4..4
; claim: precondition
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; precondition of broadcast_f32_of_least 0 -> acc: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of broadcast_f32_of_least 0 -> acc: the register has the instruction's shape
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

; precondition of store_f32 acc -> top_sums: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of store_f32 acc -> top_sums: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of store_f32 acc -> top_sums: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of store_f32 acc -> top_sums: the lanes of store_f32 are consecutive in top_sums
; question 2
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of load_f32 e -> acc_2: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 e -> acc_2: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 e -> acc_2: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 e -> acc_2: the lanes of load_f32 are consecutive in e
; question 3
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of broadcast_f32 top -> x1_r_2: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 top -> x1_r_2: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 top -> x1_r_2: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 top -> x1_r_2: the lanes of broadcast_f32 are consecutive in top
; question 4
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of load_f32 x -> x0_r_2: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 x -> x0_r_2: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 x -> x0_r_2: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 x -> x0_r_2: the lanes of load_f32 are consecutive in x
; question 5
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of store_f32 acc_2 -> e: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_2 -> e: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_2 -> e: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_2 -> e: the lanes of store_f32 are consecutive in e
; question 6
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of zero_f32 0 -> acc_3: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of zero_f32 0 -> acc_3: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 e -> x0_r_3: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 e -> x0_r_3: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 e -> x0_r_3: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 e -> x0_r_3: the lanes of load_f32 are consecutive in e
; question 7
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of store_f32 acc_3 -> total_sums: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_3 -> total_sums: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_3 -> total_sums: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_3 -> total_sums: the lanes of store_f32 are consecutive in total_sums
; question 8
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of load_f32 share -> acc_4: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 share -> acc_4: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 share -> acc_4: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 share -> acc_4: the lanes of load_f32 are consecutive in share
; question 9
(push 1)
(set-info :status unsat)
(assert (! false :named |1: False|))
(assert (! true :named |2: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of masked_load_f32 share -> acc_4: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 share -> acc_4: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 share -> acc_4: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 share -> acc_4: the lanes of masked_load_f32 are consecutive in share
; question 10
(push 1)
(set-info :status unsat)
(assert (! true :named |1: True|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of load_f32 total -> x0_r_4: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 total -> x0_r_4: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 total -> x0_r_4: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 total -> x0_r_4: the lanes of load_f32 are consecutive in total
; question 11
(push 1)
(set-info :status unsat)
(assert (! false :named |1: False|))
(assert (! true :named |2: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of masked_load_f32 total -> x0_r_4: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 total -> x0_r_4: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 total -> x0_r_4: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 total -> x0_r_4: the lanes of masked_load_f32 are consecutive in total
; question 12
(push 1)
(set-info :status unsat)
(assert (! true :named |1: True|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of store_f32 acc_4 -> share: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_4 -> share: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_4 -> share: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_4 -> share: the lanes of store_f32 are consecutive in share
; question 13
(push 1)
(set-info :status unsat)
(assert (! false :named |1: False|))
(assert (! true :named |2: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of masked_store_f32 acc_4 -> share: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of masked_store_f32 acc_4 -> share: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of masked_store_f32 acc_4 -> share: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of masked_store_f32 acc_4 -> share: the lanes of masked_store_f32 are consecutive in share
; question 14
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
; question 15
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of broadcast_f32 share -> b_r_5: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 share -> b_r_5: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 share -> b_r_5: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 share -> b_r_5: the lanes of broadcast_f32 are consecutive in share
; question 16
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of load_f32 e -> a_r_5: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 e -> a_r_5: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 e -> a_r_5: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 e -> a_r_5: the lanes of load_f32 are consecutive in e
; question 17
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
; question 18
(push 1)
(set-info :status unsat)
(assert (! true :named |1: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)
