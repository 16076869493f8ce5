(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx2/matvec/fmadd_ps,l=i,a=A,b=x
; claim: precondition
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; precondition of load_f32 y -> acc: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 y -> acc: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 y -> acc: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 y -> acc: the lanes of load_f32 are consecutive in y
; question 1
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun K () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 103)//(104)| () Int)
(declare-fun k0 () Int)
(declare-fun |q!(K + 1023)//(1024)| () Int)
(declare-fun i_ul () Int)
(declare-fun l () Int)
(declare-fun |r!(I + 103)%(104)| () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 i0) :named |3: 0 <= i0|))
(assert (! (< i0 |q!(I + 103)//(104)|) :named |4: i0 < q!(I + 103)//(104)|))
(assert (! (<= 0 k0) :named |5: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |6: k0 < q!(K + 1023)//(1024)|))
(assert (! (<= 0 (+ (- 104) I (* (- 104) i0))) :named |7: 0 <= -104 + I - 104*i0|))
(assert (! (<= 0 i_ul) :named |8: 0 <= i_ul|))
(assert (! (> 13 i_ul) :named |9: 13 > i_ul|))
(assert (! (<= 0 l) :named |10: 0 <= l|))
(assert (! (> 8 l) :named |11: 8 > l|))
(assert (! true :named |12: true|))
(assert (! (= (+ 103 I) (+ (* 104 |q!(I + 103)//(104)|) |r!(I + 103)%(104)|)) :named |13: 103 + I = 104*q!(I + 103)//(104) + r!(I + 103)%(104)|))
(assert (! (>= |r!(I + 103)%(104)| 0) :named |14: r!(I + 103)%(104) >= 0|))
(assert (! (> 104 |r!(I + 103)%(104)|) :named |15: 104 > r!(I + 103)%(104)|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |16: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |17: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |18: 1024 > r!(K + 1023)%(1024)|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of masked_load_f32 y -> acc: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 y -> acc: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 y -> acc: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of masked_load_f32 y -> acc: the lanes of masked_load_f32 are consecutive in y
; question 2
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun K () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 103)//(104)| () Int)
(declare-fun k0 () Int)
(declare-fun |q!(K + 1023)//(1024)| () Int)
(declare-fun i_ul () Int)
(declare-fun l () Int)
(declare-fun |r!(I + 103)%(104)| () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 i0) :named |3: 0 <= i0|))
(assert (! (< i0 |q!(I + 103)//(104)|) :named |4: i0 < q!(I + 103)//(104)|))
(assert (! (<= 0 k0) :named |5: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |6: k0 < q!(K + 1023)//(1024)|))
(assert (! (> 0 (+ (- 104) I (* (- 104) i0))) :named |7: 0 > -104 + I - 104*i0|))
(assert (! (<= 0 i_ul) :named |8: 0 <= i_ul|))
(assert (! (> 13 i_ul) :named |9: 13 > i_ul|))
(assert (! (<= 0 l) :named |10: 0 <= l|))
(assert (! (> 8 l) :named |11: 8 > l|))
(assert (! (< l (+ I (* (- 104) i0) (* (- 8) i_ul))) :named |12: l < I - 104*i0 - 8*i_ul|))
(assert (! (= (+ 103 I) (+ (* 104 |q!(I + 103)//(104)|) |r!(I + 103)%(104)|)) :named |13: 103 + I = 104*q!(I + 103)//(104) + r!(I + 103)%(104)|))
(assert (! (>= |r!(I + 103)%(104)| 0) :named |14: r!(I + 103)%(104) >= 0|))
(assert (! (> 104 |r!(I + 103)%(104)|) :named |15: 104 > r!(I + 103)%(104)|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |16: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |17: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |18: 1024 > r!(K + 1023)%(1024)|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of broadcast_f32 x -> b_r: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 x -> b_r: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 x -> b_r: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of broadcast_f32 x -> b_r: the lanes of broadcast_f32 are consecutive in x
; question 3
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun K () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 103)//(104)| () Int)
(declare-fun k0 () Int)
(declare-fun |q!(K + 1023)//(1024)| () Int)
(declare-fun k1 () Int)
(declare-fun l () Int)
(declare-fun |r!(I + 103)%(104)| () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 i0) :named |3: 0 <= i0|))
(assert (! (< i0 |q!(I + 103)//(104)|) :named |4: i0 < q!(I + 103)//(104)|))
(assert (! (<= 0 k0) :named |5: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |6: k0 < q!(K + 1023)//(1024)|))
(assert (! (<= 0 k1) :named |7: 0 <= k1|))
(assert (! (< k1 (ite (<= 1024 (+ K (* (- 1024) k0))) 1024 (+ K (* (- 1024) k0)))) :named |8: k1 < if(1024 <= K - 1024*k0, 1024, K - 1024*k0)|))
(assert (! (<= 0 l) :named |9: 0 <= l|))
(assert (! (> 8 l) :named |10: 8 > l|))
(assert (! true :named |11: true|))
(assert (! (= (+ 103 I) (+ (* 104 |q!(I + 103)//(104)|) |r!(I + 103)%(104)|)) :named |12: 103 + I = 104*q!(I + 103)//(104) + r!(I + 103)%(104)|))
(assert (! (>= |r!(I + 103)%(104)| 0) :named |13: r!(I + 103)%(104) >= 0|))
(assert (! (> 104 |r!(I + 103)%(104)|) :named |14: 104 > r!(I + 103)%(104)|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |15: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |16: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |17: 1024 > r!(K + 1023)%(1024)|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of load_f32 A_packed -> a_r: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 A_packed -> a_r: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 A_packed -> a_r: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 A_packed -> a_r: the lanes of load_f32 are consecutive in A_packed
; question 4
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun K () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 103)//(104)| () Int)
(declare-fun k0 () Int)
(declare-fun |q!(K + 1023)//(1024)| () Int)
(declare-fun k1 () Int)
(declare-fun i_u () Int)
(declare-fun l () Int)
(declare-fun |r!(I + 103)%(104)| () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 i0) :named |3: 0 <= i0|))
(assert (! (< i0 |q!(I + 103)//(104)|) :named |4: i0 < q!(I + 103)//(104)|))
(assert (! (<= 0 k0) :named |5: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |6: k0 < q!(K + 1023)//(1024)|))
(assert (! (<= 0 k1) :named |7: 0 <= k1|))
(assert (! (< k1 (ite (<= 1024 (+ K (* (- 1024) k0))) 1024 (+ K (* (- 1024) k0)))) :named |8: k1 < if(1024 <= K - 1024*k0, 1024, K - 1024*k0)|))
(assert (! (<= 0 i_u) :named |9: 0 <= i_u|))
(assert (! (> 13 i_u) :named |10: 13 > i_u|))
(assert (! (<= 0 l) :named |11: 0 <= l|))
(assert (! (> 8 l) :named |12: 8 > l|))
(assert (! true :named |13: true|))
(assert (! (= (+ 103 I) (+ (* 104 |q!(I + 103)//(104)|) |r!(I + 103)%(104)|)) :named |14: 103 + I = 104*q!(I + 103)//(104) + r!(I + 103)%(104)|))
(assert (! (>= |r!(I + 103)%(104)| 0) :named |15: r!(I + 103)%(104) >= 0|))
(assert (! (> 104 |r!(I + 103)%(104)|) :named |16: 104 > r!(I + 103)%(104)|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |17: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |18: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |19: 1024 > r!(K + 1023)%(1024)|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of store_f32 acc -> y: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of store_f32 acc -> y: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of store_f32 acc -> y: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of store_f32 acc -> y: the lanes of store_f32 are consecutive in y
; question 5
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun K () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 103)//(104)| () Int)
(declare-fun k0 () Int)
(declare-fun |q!(K + 1023)//(1024)| () Int)
(declare-fun i_us () Int)
(declare-fun l () Int)
(declare-fun |r!(I + 103)%(104)| () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 i0) :named |3: 0 <= i0|))
(assert (! (< i0 |q!(I + 103)//(104)|) :named |4: i0 < q!(I + 103)//(104)|))
(assert (! (<= 0 k0) :named |5: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |6: k0 < q!(K + 1023)//(1024)|))
(assert (! (<= 0 (+ (- 104) I (* (- 104) i0))) :named |7: 0 <= -104 + I - 104*i0|))
(assert (! (<= 0 i_us) :named |8: 0 <= i_us|))
(assert (! (> 13 i_us) :named |9: 13 > i_us|))
(assert (! (<= 0 l) :named |10: 0 <= l|))
(assert (! (> 8 l) :named |11: 8 > l|))
(assert (! true :named |12: true|))
(assert (! (= (+ 103 I) (+ (* 104 |q!(I + 103)//(104)|) |r!(I + 103)%(104)|)) :named |13: 103 + I = 104*q!(I + 103)//(104) + r!(I + 103)%(104)|))
(assert (! (>= |r!(I + 103)%(104)| 0) :named |14: r!(I + 103)%(104) >= 0|))
(assert (! (> 104 |r!(I + 103)%(104)|) :named |15: 104 > r!(I + 103)%(104)|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |16: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |17: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |18: 1024 > r!(K + 1023)%(1024)|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of masked_store_f32 acc -> y: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of masked_store_f32 acc -> y: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of masked_store_f32 acc -> y: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of masked_store_f32 acc -> y: the lanes of masked_store_f32 are consecutive in y
; question 6
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun K () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 103)//(104)| () Int)
(declare-fun k0 () Int)
(declare-fun |q!(K + 1023)//(1024)| () Int)
(declare-fun i_us () Int)
(declare-fun l () Int)
(declare-fun |r!(I + 103)%(104)| () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 i0) :named |3: 0 <= i0|))
(assert (! (< i0 |q!(I + 103)//(104)|) :named |4: i0 < q!(I + 103)//(104)|))
(assert (! (<= 0 k0) :named |5: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |6: k0 < q!(K + 1023)//(1024)|))
(assert (! (> 0 (+ (- 104) I (* (- 104) i0))) :named |7: 0 > -104 + I - 104*i0|))
(assert (! (<= 0 i_us) :named |8: 0 <= i_us|))
(assert (! (> 13 i_us) :named |9: 13 > i_us|))
(assert (! (<= 0 l) :named |10: 0 <= l|))
(assert (! (> 8 l) :named |11: 8 > l|))
(assert (! (< l (+ I (* (- 104) i0) (* (- 8) i_us))) :named |12: l < I - 104*i0 - 8*i_us|))
(assert (! (= (+ 103 I) (+ (* 104 |q!(I + 103)//(104)|) |r!(I + 103)%(104)|)) :named |13: 103 + I = 104*q!(I + 103)//(104) + r!(I + 103)%(104)|))
(assert (! (>= |r!(I + 103)%(104)| 0) :named |14: r!(I + 103)%(104) >= 0|))
(assert (! (> 104 |r!(I + 103)%(104)|) :named |15: 104 > r!(I + 103)%(104)|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |16: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |17: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |18: 1024 > r!(K + 1023)%(1024)|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)
