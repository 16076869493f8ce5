(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512_fp16/gemm/fmadd_ph,l=j,a=A,b=B
; claim: precondition
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; precondition of zero_f16 0 -> acc: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of zero_f16 0 -> acc: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f16 C -> acc: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f16 C -> acc: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f16 C -> acc: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f16 C -> acc: the lanes of load_f16 are consecutive in C
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

; precondition of masked_load_f16 C -> acc: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of masked_load_f16 C -> acc: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of masked_load_f16 C -> acc: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of masked_load_f16 C -> acc: the lanes of masked_load_f16 are consecutive in C
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

; precondition of load_f16 B_packed -> b_r: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f16 B_packed -> b_r: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f16 B_packed -> b_r: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f16 B_packed -> b_r: the lanes of load_f16 are consecutive in B_packed
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

; precondition of broadcast_f16 A -> a_r: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of broadcast_f16 A -> a_r: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of broadcast_f16 A -> a_r: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of broadcast_f16 A -> a_r: the lanes of broadcast_f16 are consecutive in A
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

; precondition of store_f16 acc -> C: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of store_f16 acc -> C: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of store_f16 acc -> C: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of store_f16 acc -> C: the lanes of store_f16 are consecutive in C
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

; precondition of masked_store_f16 acc -> C: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of masked_store_f16 acc -> C: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of masked_store_f16 acc -> C: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of masked_store_f16 acc -> C: the lanes of masked_store_f16 are consecutive in C
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
