(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512_vnni/matvec/dpbusd,l=i,e=k,a=A,b=x
; claim: precondition
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; precondition of zero_i32 0 -> acc: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of zero_i32 0 -> acc: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_i32 y -> acc: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_i32 y -> acc: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_i32 y -> acc: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_i32 y -> acc: the lanes of load_i32 are consecutive in y
; question 1
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun K () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! true :named |3: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of masked_load_i32 y -> acc: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of masked_load_i32 y -> acc: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of masked_load_i32 y -> acc: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of masked_load_i32 y -> acc: the lanes of masked_load_i32 are consecutive in y
; question 2
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun K () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of broadcast_i8x4 x_packed -> b_r: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of broadcast_i8x4 x_packed -> b_r: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of broadcast_i8x4 x_packed -> b_r: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of broadcast_i8x4 x_packed -> b_r: the lanes of broadcast_i8x4 are consecutive in x_packed
; question 3
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun K () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! true :named |3: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of load_u8x4 A_packed -> a_r: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_u8x4 A_packed -> a_r: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_u8x4 A_packed -> a_r: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_u8x4 A_packed -> a_r: the lanes of load_u8x4 are consecutive in A_packed
; question 4
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun K () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! true :named |3: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of store_i32 acc -> y: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of store_i32 acc -> y: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of store_i32 acc -> y: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of store_i32 acc -> y: the lanes of store_i32 are consecutive in y
; question 5
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun K () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! true :named |3: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of masked_store_i32 acc -> y: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of masked_store_i32 acc -> y: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of masked_store_i32 acc -> y: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of masked_store_i32 acc -> y: the lanes of masked_store_i32 are consecutive in y
; question 6
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun K () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)
