(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512_vnni/two_layers/dpbusd,l=j,e=k,a=X,b=W
; claim: precondition
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; precondition of zero_i32 0 -> acc: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of zero_i32 0 -> acc: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_i32 H -> acc: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_i32 H -> acc: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_i32 H -> acc: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_i32 H -> acc: the lanes of load_i32 are consecutive in H
; question 1
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun J () Int)
(declare-fun K () Int)
(declare-fun M () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 J) :named |2: 1 <= J|))
(assert (! (<= 1 K) :named |3: 1 <= K|))
(assert (! (<= 1 M) :named |4: 1 <= M|))
(assert (! true :named |5: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of masked_load_i32 H -> acc: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of masked_load_i32 H -> acc: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of masked_load_i32 H -> acc: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of masked_load_i32 H -> acc: the lanes of masked_load_i32 are consecutive in H
; question 2
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun J () Int)
(declare-fun K () Int)
(declare-fun M () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 J) :named |2: 1 <= J|))
(assert (! (<= 1 K) :named |3: 1 <= K|))
(assert (! (<= 1 M) :named |4: 1 <= M|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of load_i8x4 W_packed -> b_r: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_i8x4 W_packed -> b_r: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_i8x4 W_packed -> b_r: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_i8x4 W_packed -> b_r: the lanes of load_i8x4 are consecutive in W_packed
; question 3
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun J () Int)
(declare-fun K () Int)
(declare-fun M () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 J) :named |2: 1 <= J|))
(assert (! (<= 1 K) :named |3: 1 <= K|))
(assert (! (<= 1 M) :named |4: 1 <= M|))
(assert (! true :named |5: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of broadcast_u8x4 X_packed -> a_r: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of broadcast_u8x4 X_packed -> a_r: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of broadcast_u8x4 X_packed -> a_r: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of broadcast_u8x4 X_packed -> a_r: the lanes of broadcast_u8x4 are consecutive in X_packed
; question 4
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun J () Int)
(declare-fun K () Int)
(declare-fun M () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 J) :named |2: 1 <= J|))
(assert (! (<= 1 K) :named |3: 1 <= K|))
(assert (! (<= 1 M) :named |4: 1 <= M|))
(assert (! true :named |5: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of store_i32 acc -> H: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of store_i32 acc -> H: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of store_i32 acc -> H: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of store_i32 acc -> H: the lanes of store_i32 are consecutive in H
; question 5
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun J () Int)
(declare-fun K () Int)
(declare-fun M () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 J) :named |2: 1 <= J|))
(assert (! (<= 1 K) :named |3: 1 <= K|))
(assert (! (<= 1 M) :named |4: 1 <= M|))
(assert (! true :named |5: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of masked_store_i32 acc -> H: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of masked_store_i32 acc -> H: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of masked_store_i32 acc -> H: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of masked_store_i32 acc -> H: the lanes of masked_store_i32 are consecutive in H
; question 6
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun J () Int)
(declare-fun K () Int)
(declare-fun M () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 J) :named |2: 1 <= J|))
(assert (! (<= 1 K) :named |3: 1 <= K|))
(assert (! (<= 1 M) :named |4: 1 <= M|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)
