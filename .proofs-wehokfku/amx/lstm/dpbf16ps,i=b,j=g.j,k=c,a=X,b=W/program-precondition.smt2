(set-info :smt-lib-version 2.6)
(set-logic ALL)
; amx/lstm/dpbf16ps,i=b,j=g.j,k=c,a=X,b=W
; claim: precondition
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; precondition of zero_f32 0 -> acc: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of zero_f32 0 -> acc: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 P -> acc: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 P -> acc: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 P -> acc: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 P -> acc: the lanes of load_f32 lie at i*stride + j in P
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
(assert (! true :named |5: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of masked_load_f32 P -> acc: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 P -> acc: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 P -> acc: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 P -> acc: the lanes of masked_load_f32 lie at i*stride + j in P
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
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of load_groups_bf16 W_packed -> b_r: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_groups_bf16 W_packed -> b_r: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_groups_bf16 W_packed -> b_r: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_groups_bf16 W_packed -> b_r: the lanes of load_groups_bf16 are consecutive in W_packed
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

; precondition of load_rows_bf16 X_packed -> a_r: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_rows_bf16 X_packed -> a_r: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_rows_bf16 X_packed -> a_r: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_rows_bf16 X_packed -> a_r: the lanes of load_rows_bf16 lie at i*stride + k in X_packed
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
(assert (! true :named |5: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of store_f32 acc -> P: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of store_f32 acc -> P: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of store_f32 acc -> P: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of store_f32 acc -> P: the lanes of store_f32 lie at i*stride + j in P
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

; precondition of masked_store_f32 acc -> P: the lanes of masked_store_f32 lie at i*stride + j in P
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
