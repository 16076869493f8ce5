(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/conv2d/fmadd_ps,l=k,a=I,b=W,at,R=3,S=3,dp=1,dq=1,pp=1,pq=1,sp=1,sq=1
; claim: precondition
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; precondition of load_f32 O -> acc: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 O -> acc: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 O -> acc: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 O -> acc: the lanes of load_f32 are consecutive in O
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

; precondition of masked_load_f32 O -> acc: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 O -> acc: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 O -> acc: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 O -> acc: the lanes of masked_load_f32 are consecutive in O
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
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of load_f32 W_packed -> b_r: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 W_packed -> b_r: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 W_packed -> b_r: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 W_packed -> b_r: the lanes of load_f32 are consecutive in W_packed
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

; precondition of broadcast_f32 I_padded -> a_r: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 I_padded -> a_r: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 I_padded -> a_r: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 I_padded -> a_r: the lanes of broadcast_f32 are consecutive in I_padded
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

; precondition of store_f32 acc -> O: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of store_f32 acc -> O: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of store_f32 acc -> O: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of store_f32 acc -> O: the lanes of store_f32 are consecutive in O
; question 5
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

; precondition of masked_store_f32 acc -> O: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of masked_store_f32 acc -> O: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of masked_store_f32 acc -> O: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of masked_store_f32 acc -> O: the lanes of masked_store_f32 are consecutive in O
; question 6
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
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)
