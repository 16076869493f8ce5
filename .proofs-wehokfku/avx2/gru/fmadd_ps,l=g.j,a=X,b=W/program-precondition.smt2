(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx2/gru/fmadd_ps,l=g.j,a=X,b=W
; claim: precondition
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; precondition of zero_f32 0 -> acc: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of zero_f32 0 -> acc: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 W -> b_r: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 W -> b_r: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 W -> b_r: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 W -> b_r: the lanes of masked_load_f32 are consecutive in W
; question 1
(push 1)
(set-info :status unsat)
(declare-fun B () Int)
(declare-fun C () Int)
(declare-fun J () Int)
(declare-fun T () Int)
(assert (! (<= 1 B) :named |1: 1 <= B|))
(assert (! (<= 1 C) :named |2: 1 <= C|))
(assert (! (<= 1 J) :named |3: 1 <= J|))
(assert (! (<= 1 T) :named |4: 1 <= T|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of broadcast_f32 X -> a_r: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 X -> a_r: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 X -> a_r: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 X -> a_r: the lanes of broadcast_f32 are consecutive in X
; question 2
(push 1)
(set-info :status unsat)
(declare-fun B () Int)
(declare-fun C () Int)
(declare-fun J () Int)
(declare-fun T () Int)
(assert (! (<= 1 B) :named |1: 1 <= B|))
(assert (! (<= 1 C) :named |2: 1 <= C|))
(assert (! (<= 1 J) :named |3: 1 <= J|))
(assert (! (<= 1 T) :named |4: 1 <= T|))
(assert (! true :named |5: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of load_f32_added P -> acc: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32_added P -> acc: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32_added P -> acc: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32_added P -> acc: the lanes of load_f32_added are consecutive in P
; question 3
(push 1)
(set-info :status unsat)
(declare-fun B () Int)
(declare-fun C () Int)
(declare-fun J () Int)
(declare-fun T () Int)
(assert (! (<= 1 B) :named |1: 1 <= B|))
(assert (! (<= 1 C) :named |2: 1 <= C|))
(assert (! (<= 1 J) :named |3: 1 <= J|))
(assert (! (<= 1 T) :named |4: 1 <= T|))
(assert (! true :named |5: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of masked_load_f32_added P -> acc: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of masked_load_f32_added P -> acc: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of masked_load_f32_added P -> acc: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of masked_load_f32_added P -> acc: the lanes of masked_load_f32_added are consecutive in P
; question 4
(push 1)
(set-info :status unsat)
(declare-fun B () Int)
(declare-fun C () Int)
(declare-fun J () Int)
(declare-fun T () Int)
(assert (! (<= 1 B) :named |1: 1 <= B|))
(assert (! (<= 1 C) :named |2: 1 <= C|))
(assert (! (<= 1 J) :named |3: 1 <= J|))
(assert (! (<= 1 T) :named |4: 1 <= T|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of store_f32 acc -> P: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of store_f32 acc -> P: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of store_f32 acc -> P: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of store_f32 acc -> P: the lanes of store_f32 are consecutive in P
; question 5
(push 1)
(set-info :status unsat)
(declare-fun B () Int)
(declare-fun C () Int)
(declare-fun J () Int)
(declare-fun T () Int)
(assert (! (<= 1 B) :named |1: 1 <= B|))
(assert (! (<= 1 C) :named |2: 1 <= C|))
(assert (! (<= 1 J) :named |3: 1 <= J|))
(assert (! (<= 1 T) :named |4: 1 <= T|))
(assert (! true :named |5: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of masked_store_f32 acc -> P: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of masked_store_f32 acc -> P: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of masked_store_f32 acc -> P: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of masked_store_f32 acc -> P: the lanes of masked_store_f32 are consecutive in P
; question 6
(push 1)
(set-info :status unsat)
(declare-fun B () Int)
(declare-fun C () Int)
(declare-fun J () Int)
(declare-fun T () Int)
(assert (! (<= 1 B) :named |1: 1 <= B|))
(assert (! (<= 1 C) :named |2: 1 <= C|))
(assert (! (<= 1 J) :named |3: 1 <= J|))
(assert (! (<= 1 T) :named |4: 1 <= T|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of zero_f32 0 -> acc_2: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of zero_f32 0 -> acc_2: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 U_packed_2 -> b_r_2: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 U_packed_2 -> b_r_2: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 U_packed_2 -> b_r_2: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 U_packed_2 -> b_r_2: the lanes of load_f32 are consecutive in U_packed_2
; question 7
(push 1)
(set-info :status unsat)
(declare-fun B () Int)
(declare-fun C () Int)
(declare-fun J () Int)
(declare-fun T () Int)
(assert (! (<= 1 B) :named |1: 1 <= B|))
(assert (! (<= 1 C) :named |2: 1 <= C|))
(assert (! (<= 1 J) :named |3: 1 <= J|))
(assert (! (<= 1 T) :named |4: 1 <= T|))
(assert (! true :named |5: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of broadcast_f32 H -> a_r_2: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 H -> a_r_2: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 H -> a_r_2: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 H -> a_r_2: the lanes of broadcast_f32 are consecutive in H
; question 8
(push 1)
(set-info :status unsat)
(declare-fun B () Int)
(declare-fun C () Int)
(declare-fun J () Int)
(declare-fun T () Int)
(assert (! (<= 1 B) :named |1: 1 <= B|))
(assert (! (<= 1 C) :named |2: 1 <= C|))
(assert (! (<= 1 J) :named |3: 1 <= J|))
(assert (! (<= 1 T) :named |4: 1 <= T|))
(assert (! true :named |5: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of load_f32_added R -> acc_2: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32_added R -> acc_2: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32_added R -> acc_2: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32_added R -> acc_2: the lanes of load_f32_added are consecutive in R
; question 9
(push 1)
(set-info :status unsat)
(declare-fun B () Int)
(declare-fun C () Int)
(declare-fun J () Int)
(declare-fun T () Int)
(assert (! (<= 1 B) :named |1: 1 <= B|))
(assert (! (<= 1 C) :named |2: 1 <= C|))
(assert (! (<= 1 J) :named |3: 1 <= J|))
(assert (! (<= 1 T) :named |4: 1 <= T|))
(assert (! true :named |5: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of masked_load_f32_added R -> acc_2: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of masked_load_f32_added R -> acc_2: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of masked_load_f32_added R -> acc_2: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of masked_load_f32_added R -> acc_2: the lanes of masked_load_f32_added are consecutive in R
; question 10
(push 1)
(set-info :status unsat)
(declare-fun B () Int)
(declare-fun C () Int)
(declare-fun J () Int)
(declare-fun T () Int)
(assert (! (<= 1 B) :named |1: 1 <= B|))
(assert (! (<= 1 C) :named |2: 1 <= C|))
(assert (! (<= 1 J) :named |3: 1 <= J|))
(assert (! (<= 1 T) :named |4: 1 <= T|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of store_f32 acc_2 -> R: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_2 -> R: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_2 -> R: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of store_f32 acc_2 -> R: the lanes of store_f32 are consecutive in R
; question 11
(push 1)
(set-info :status unsat)
(declare-fun B () Int)
(declare-fun C () Int)
(declare-fun J () Int)
(declare-fun T () Int)
(assert (! (<= 1 B) :named |1: 1 <= B|))
(assert (! (<= 1 C) :named |2: 1 <= C|))
(assert (! (<= 1 J) :named |3: 1 <= J|))
(assert (! (<= 1 T) :named |4: 1 <= T|))
(assert (! true :named |5: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of masked_store_f32 acc_2 -> R: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of masked_store_f32 acc_2 -> R: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of masked_store_f32 acc_2 -> R: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of masked_store_f32 acc_2 -> R: the lanes of masked_store_f32 are consecutive in R
; question 12
(push 1)
(set-info :status unsat)
(declare-fun B () Int)
(declare-fun C () Int)
(declare-fun J () Int)
(declare-fun T () Int)
(assert (! (<= 1 B) :named |1: 1 <= B|))
(assert (! (<= 1 C) :named |2: 1 <= C|))
(assert (! (<= 1 J) :named |3: 1 <= J|))
(assert (! (<= 1 T) :named |4: 1 <= T|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)
