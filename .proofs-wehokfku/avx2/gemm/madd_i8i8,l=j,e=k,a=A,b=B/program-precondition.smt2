(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx2/gemm/madd_i8i8,l=j,e=k,a=A,b=B
; claim: precondition
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; precondition of zero_i32 0 -> acc: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of zero_i32 0 -> acc: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_i32 C -> acc: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_i32 C -> acc: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_i32 C -> acc: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_i32 C -> acc: the lanes of load_i32 are consecutive in C
; question 1
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun J () Int)
(declare-fun K () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 J) :named |2: 1 <= J|))
(assert (! (<= 1 K) :named |3: 1 <= K|))
(assert (! true :named |4: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of masked_load_i32 C -> acc: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of masked_load_i32 C -> acc: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of masked_load_i32 C -> acc: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of masked_load_i32 C -> acc: the lanes of masked_load_i32 are consecutive in C
; question 2
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun J () Int)
(declare-fun K () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 J) :named |2: 1 <= J|))
(assert (! (<= 1 K) :named |3: 1 <= K|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of load_i8x4 B_packed -> b_r: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_i8x4 B_packed -> b_r: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_i8x4 B_packed -> b_r: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_i8x4 B_packed -> b_r: the lanes of load_i8x4 are consecutive in B_packed
; question 3
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun J () Int)
(declare-fun K () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 J) :named |2: 1 <= J|))
(assert (! (<= 1 K) :named |3: 1 <= K|))
(assert (! true :named |4: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of broadcast_i8x4 A_packed -> a_r: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of broadcast_i8x4 A_packed -> a_r: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of broadcast_i8x4 A_packed -> a_r: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of broadcast_i8x4 A_packed -> a_r: the lanes of broadcast_i8x4 are consecutive in A_packed
; question 4
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun J () Int)
(declare-fun K () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 J) :named |2: 1 <= J|))
(assert (! (<= 1 K) :named |3: 1 <= K|))
(assert (! true :named |4: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of store_i32 acc -> C: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of store_i32 acc -> C: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of store_i32 acc -> C: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of store_i32 acc -> C: the lanes of store_i32 are consecutive in C
; question 5
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun J () Int)
(declare-fun K () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 J) :named |2: 1 <= J|))
(assert (! (<= 1 K) :named |3: 1 <= K|))
(assert (! true :named |4: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of masked_store_i32 acc -> C: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of masked_store_i32 acc -> C: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of masked_store_i32 acc -> C: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of masked_store_i32 acc -> C: the lanes of masked_store_i32 are consecutive in C
; question 6
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun J () Int)
(declare-fun K () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 J) :named |2: 1 <= J|))
(assert (! (<= 1 K) :named |3: 1 <= K|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)
