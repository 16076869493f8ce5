(set-info :smt-lib-version 2.6)
(set-logic ALL)
; scalar/depthwise_separable_conv2d/muladd_f32,point,a=I,b=D
; claim: precondition
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; precondition of zero_f32 0 -> acc: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of zero_f32 0 -> acc: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 D -> b_r: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 D -> b_r: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 D -> b_r: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 D -> b_r: the lanes of load_f32 are consecutive in D
; question 1
(push 1)
(set-info :status unsat)
(declare-fun C () Int)
(declare-fun K () Int)
(declare-fun N () Int)
(declare-fun P () Int)
(declare-fun Q () Int)
(assert (! (<= 1 C) :named |1: 1 <= C|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 1 N) :named |3: 1 <= N|))
(assert (! (<= 1 P) :named |4: 1 <= P|))
(assert (! (<= 1 Q) :named |5: 1 <= Q|))
(assert (! true :named |6: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of load_f32 I_padded -> a_r: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 I_padded -> a_r: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 I_padded -> a_r: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 I_padded -> a_r: the lanes of load_f32 are consecutive in I_padded
; question 2
(push 1)
(set-info :status unsat)
(declare-fun C () Int)
(declare-fun K () Int)
(declare-fun N () Int)
(declare-fun P () Int)
(declare-fun Q () Int)
(assert (! (<= 1 C) :named |1: 1 <= C|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 1 N) :named |3: 1 <= N|))
(assert (! (<= 1 P) :named |4: 1 <= P|))
(assert (! (<= 1 Q) :named |5: 1 <= Q|))
(assert (! true :named |6: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of store_f32 acc -> T: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of store_f32 acc -> T: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of store_f32 acc -> T: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of store_f32 acc -> T: the lanes of store_f32 are consecutive in T
; question 3
(push 1)
(set-info :status unsat)
(declare-fun C () Int)
(declare-fun K () Int)
(declare-fun N () Int)
(declare-fun P () Int)
(declare-fun Q () Int)
(assert (! (<= 1 C) :named |1: 1 <= C|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 1 N) :named |3: 1 <= N|))
(assert (! (<= 1 P) :named |4: 1 <= P|))
(assert (! (<= 1 Q) :named |5: 1 <= Q|))
(assert (! true :named |6: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of store_f32 acc -> T: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of store_f32 acc -> T: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of store_f32 acc -> T: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of store_f32 acc -> T: the lanes of store_f32 are consecutive in T
; question 4
(push 1)
(set-info :status unsat)
(declare-fun C () Int)
(declare-fun K () Int)
(declare-fun N () Int)
(declare-fun P () Int)
(declare-fun Q () Int)
(assert (! (<= 1 C) :named |1: 1 <= C|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 1 N) :named |3: 1 <= N|))
(assert (! (<= 1 P) :named |4: 1 <= P|))
(assert (! (<= 1 Q) :named |5: 1 <= Q|))
(assert (! true :named |6: true|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)
