(set-info :smt-lib-version 2.6)
(set-logic ALL)
; scalar/matvec/muladd_f32,point,a=A,b=x
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
(declare-fun |q!(I + 1028)//(1029)| () Int)
(declare-fun k0 () Int)
(declare-fun |q!(K + 1023)//(1024)| () Int)
(declare-fun i1 () Int)
(declare-fun |q!(IMin(1029, I - 1029*i0) + 6)//(7)| () Int)
(declare-fun i_ul () Int)
(declare-fun |r!(I + 1028)%(1029)| () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(declare-fun |r!(IMin(1029, I - 1029*i0) + 6)%(7)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 i0) :named |3: 0 <= i0|))
(assert (! (< i0 |q!(I + 1028)//(1029)|) :named |4: i0 < q!(I + 1028)//(1029)|))
(assert (! (<= 0 k0) :named |5: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |6: k0 < q!(K + 1023)//(1024)|))
(assert (! (<= 0 i1) :named |7: 0 <= i1|))
(assert (! (< i1 |q!(IMin(1029, I - 1029*i0) + 6)//(7)|) :named |8: i1 < q!(IMin(1029, I - 1029*i0) + 6)//(7)|))
(assert (! (<= 0 (+ (- 7) I (* (- 1029) i0) (* (- 7) i1))) :named |9: 0 <= -7 + I - 1029*i0 - 7*i1|))
(assert (! (<= 0 i_ul) :named |10: 0 <= i_ul|))
(assert (! (> 7 i_ul) :named |11: 7 > i_ul|))
(assert (! true :named |12: true|))
(assert (! (= (+ 1028 I) (+ (* 1029 |q!(I + 1028)//(1029)|) |r!(I + 1028)%(1029)|)) :named |13: 1028 + I = 1029*q!(I + 1028)//(1029) + r!(I + 1028)%(1029)|))
(assert (! (>= |r!(I + 1028)%(1029)| 0) :named |14: r!(I + 1028)%(1029) >= 0|))
(assert (! (> 1029 |r!(I + 1028)%(1029)|) :named |15: 1029 > r!(I + 1028)%(1029)|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |16: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |17: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |18: 1024 > r!(K + 1023)%(1024)|))
(assert (! (= (+ 6 (ite (<= 1029 (+ I (* (- 1029) i0))) 1029 (+ I (* (- 1029) i0)))) (+ (* 7 |q!(IMin(1029, I - 1029*i0) + 6)//(7)|) |r!(IMin(1029, I - 1029*i0) + 6)%(7)|)) :named |19: 6 + if(1029 <= I - 1029*i0, 1029, I - 1029*i0) = 7*q!(IMin(1029, I - 1029*i0) + 6)//(7) + r!(...|))
(assert (! (>= |r!(IMin(1029, I - 1029*i0) + 6)%(7)| 0) :named |20: r!(IMin(1029, I - 1029*i0) + 6)%(7) >= 0|))
(assert (! (> 7 |r!(IMin(1029, I - 1029*i0) + 6)%(7)|) :named |21: 7 > r!(IMin(1029, I - 1029*i0) + 6)%(7)|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of load_f32 y -> acc: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 y -> acc: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 y -> acc: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 y -> acc: the lanes of load_f32 are consecutive in y
; question 2
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun K () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 1028)//(1029)| () Int)
(declare-fun k0 () Int)
(declare-fun |q!(K + 1023)//(1024)| () Int)
(declare-fun i1 () Int)
(declare-fun |q!(IMin(1029, I - 1029*i0) + 6)//(7)| () Int)
(declare-fun i_ul () Int)
(declare-fun |r!(I + 1028)%(1029)| () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(declare-fun |r!(IMin(1029, I - 1029*i0) + 6)%(7)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 i0) :named |3: 0 <= i0|))
(assert (! (< i0 |q!(I + 1028)//(1029)|) :named |4: i0 < q!(I + 1028)//(1029)|))
(assert (! (<= 0 k0) :named |5: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |6: k0 < q!(K + 1023)//(1024)|))
(assert (! (<= 0 i1) :named |7: 0 <= i1|))
(assert (! (< i1 |q!(IMin(1029, I - 1029*i0) + 6)//(7)|) :named |8: i1 < q!(IMin(1029, I - 1029*i0) + 6)//(7)|))
(assert (! (> 0 (+ (- 7) I (* (- 1029) i0) (* (- 7) i1))) :named |9: 0 > -7 + I - 1029*i0 - 7*i1|))
(assert (! (<= 0 i_ul) :named |10: 0 <= i_ul|))
(assert (! (> 7 i_ul) :named |11: 7 > i_ul|))
(assert (! (< (+ i_ul (* 7 i1) (* 1029 i0)) I) :named |12: i_ul + 7*i1 + 1029*i0 < I|))
(assert (! true :named |13: true|))
(assert (! (= (+ 1028 I) (+ (* 1029 |q!(I + 1028)//(1029)|) |r!(I + 1028)%(1029)|)) :named |14: 1028 + I = 1029*q!(I + 1028)//(1029) + r!(I + 1028)%(1029)|))
(assert (! (>= |r!(I + 1028)%(1029)| 0) :named |15: r!(I + 1028)%(1029) >= 0|))
(assert (! (> 1029 |r!(I + 1028)%(1029)|) :named |16: 1029 > r!(I + 1028)%(1029)|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |17: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |18: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |19: 1024 > r!(K + 1023)%(1024)|))
(assert (! (= (+ 6 (ite (<= 1029 (+ I (* (- 1029) i0))) 1029 (+ I (* (- 1029) i0)))) (+ (* 7 |q!(IMin(1029, I - 1029*i0) + 6)//(7)|) |r!(IMin(1029, I - 1029*i0) + 6)%(7)|)) :named |20: 6 + if(1029 <= I - 1029*i0, 1029, I - 1029*i0) = 7*q!(IMin(1029, I - 1029*i0) + 6)//(7) + r!(...|))
(assert (! (>= |r!(IMin(1029, I - 1029*i0) + 6)%(7)| 0) :named |21: r!(IMin(1029, I - 1029*i0) + 6)%(7) >= 0|))
(assert (! (> 7 |r!(IMin(1029, I - 1029*i0) + 6)%(7)|) :named |22: 7 > r!(IMin(1029, I - 1029*i0) + 6)%(7)|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of load_f32 x -> b_r: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 x -> b_r: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 x -> b_r: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 x -> b_r: the lanes of load_f32 are consecutive in x
; question 3
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun K () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 1028)//(1029)| () Int)
(declare-fun k0 () Int)
(declare-fun |q!(K + 1023)//(1024)| () Int)
(declare-fun i1 () Int)
(declare-fun |q!(IMin(1029, I - 1029*i0) + 6)//(7)| () Int)
(declare-fun k1 () Int)
(declare-fun |r!(I + 1028)%(1029)| () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(declare-fun |r!(IMin(1029, I - 1029*i0) + 6)%(7)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 i0) :named |3: 0 <= i0|))
(assert (! (< i0 |q!(I + 1028)//(1029)|) :named |4: i0 < q!(I + 1028)//(1029)|))
(assert (! (<= 0 k0) :named |5: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |6: k0 < q!(K + 1023)//(1024)|))
(assert (! (<= 0 i1) :named |7: 0 <= i1|))
(assert (! (< i1 |q!(IMin(1029, I - 1029*i0) + 6)//(7)|) :named |8: i1 < q!(IMin(1029, I - 1029*i0) + 6)//(7)|))
(assert (! (<= 0 k1) :named |9: 0 <= k1|))
(assert (! (< k1 (ite (<= 1024 (+ K (* (- 1024) k0))) 1024 (+ K (* (- 1024) k0)))) :named |10: k1 < if(1024 <= K - 1024*k0, 1024, K - 1024*k0)|))
(assert (! true :named |11: true|))
(assert (! (= (+ 1028 I) (+ (* 1029 |q!(I + 1028)//(1029)|) |r!(I + 1028)%(1029)|)) :named |12: 1028 + I = 1029*q!(I + 1028)//(1029) + r!(I + 1028)%(1029)|))
(assert (! (>= |r!(I + 1028)%(1029)| 0) :named |13: r!(I + 1028)%(1029) >= 0|))
(assert (! (> 1029 |r!(I + 1028)%(1029)|) :named |14: 1029 > r!(I + 1028)%(1029)|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |15: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |16: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |17: 1024 > r!(K + 1023)%(1024)|))
(assert (! (= (+ 6 (ite (<= 1029 (+ I (* (- 1029) i0))) 1029 (+ I (* (- 1029) i0)))) (+ (* 7 |q!(IMin(1029, I - 1029*i0) + 6)//(7)|) |r!(IMin(1029, I - 1029*i0) + 6)%(7)|)) :named |18: 6 + if(1029 <= I - 1029*i0, 1029, I - 1029*i0) = 7*q!(IMin(1029, I - 1029*i0) + 6)//(7) + r!(...|))
(assert (! (>= |r!(IMin(1029, I - 1029*i0) + 6)%(7)| 0) :named |19: r!(IMin(1029, I - 1029*i0) + 6)%(7) >= 0|))
(assert (! (> 7 |r!(IMin(1029, I - 1029*i0) + 6)%(7)|) :named |20: 7 > r!(IMin(1029, I - 1029*i0) + 6)%(7)|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of load_f32 A -> a_r: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_f32 A -> a_r: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_f32 A -> a_r: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_f32 A -> a_r: the lanes of load_f32 are consecutive in A
; question 4
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun K () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 1028)//(1029)| () Int)
(declare-fun k0 () Int)
(declare-fun |q!(K + 1023)//(1024)| () Int)
(declare-fun i1 () Int)
(declare-fun |q!(IMin(1029, I - 1029*i0) + 6)//(7)| () Int)
(declare-fun k1 () Int)
(declare-fun i_u () Int)
(declare-fun |r!(I + 1028)%(1029)| () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(declare-fun |r!(IMin(1029, I - 1029*i0) + 6)%(7)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 i0) :named |3: 0 <= i0|))
(assert (! (< i0 |q!(I + 1028)//(1029)|) :named |4: i0 < q!(I + 1028)//(1029)|))
(assert (! (<= 0 k0) :named |5: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |6: k0 < q!(K + 1023)//(1024)|))
(assert (! (<= 0 i1) :named |7: 0 <= i1|))
(assert (! (< i1 |q!(IMin(1029, I - 1029*i0) + 6)//(7)|) :named |8: i1 < q!(IMin(1029, I - 1029*i0) + 6)//(7)|))
(assert (! (<= 0 k1) :named |9: 0 <= k1|))
(assert (! (< k1 (ite (<= 1024 (+ K (* (- 1024) k0))) 1024 (+ K (* (- 1024) k0)))) :named |10: k1 < if(1024 <= K - 1024*k0, 1024, K - 1024*k0)|))
(assert (! (<= 0 i_u) :named |11: 0 <= i_u|))
(assert (! (> 7 i_u) :named |12: 7 > i_u|))
(assert (! true :named |13: true|))
(assert (! (= (+ 1028 I) (+ (* 1029 |q!(I + 1028)//(1029)|) |r!(I + 1028)%(1029)|)) :named |14: 1028 + I = 1029*q!(I + 1028)//(1029) + r!(I + 1028)%(1029)|))
(assert (! (>= |r!(I + 1028)%(1029)| 0) :named |15: r!(I + 1028)%(1029) >= 0|))
(assert (! (> 1029 |r!(I + 1028)%(1029)|) :named |16: 1029 > r!(I + 1028)%(1029)|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |17: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |18: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |19: 1024 > r!(K + 1023)%(1024)|))
(assert (! (= (+ 6 (ite (<= 1029 (+ I (* (- 1029) i0))) 1029 (+ I (* (- 1029) i0)))) (+ (* 7 |q!(IMin(1029, I - 1029*i0) + 6)//(7)|) |r!(IMin(1029, I - 1029*i0) + 6)%(7)|)) :named |20: 6 + if(1029 <= I - 1029*i0, 1029, I - 1029*i0) = 7*q!(IMin(1029, I - 1029*i0) + 6)//(7) + r!(...|))
(assert (! (>= |r!(IMin(1029, I - 1029*i0) + 6)%(7)| 0) :named |21: r!(IMin(1029, I - 1029*i0) + 6)%(7) >= 0|))
(assert (! (> 7 |r!(IMin(1029, I - 1029*i0) + 6)%(7)|) :named |22: 7 > r!(IMin(1029, I - 1029*i0) + 6)%(7)|))
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
(declare-fun |q!(I + 1028)//(1029)| () Int)
(declare-fun k0 () Int)
(declare-fun |q!(K + 1023)//(1024)| () Int)
(declare-fun i1 () Int)
(declare-fun |q!(IMin(1029, I - 1029*i0) + 6)//(7)| () Int)
(declare-fun i_us () Int)
(declare-fun |r!(I + 1028)%(1029)| () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(declare-fun |r!(IMin(1029, I - 1029*i0) + 6)%(7)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 i0) :named |3: 0 <= i0|))
(assert (! (< i0 |q!(I + 1028)//(1029)|) :named |4: i0 < q!(I + 1028)//(1029)|))
(assert (! (<= 0 k0) :named |5: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |6: k0 < q!(K + 1023)//(1024)|))
(assert (! (<= 0 i1) :named |7: 0 <= i1|))
(assert (! (< i1 |q!(IMin(1029, I - 1029*i0) + 6)//(7)|) :named |8: i1 < q!(IMin(1029, I - 1029*i0) + 6)//(7)|))
(assert (! (<= 0 (+ (- 7) I (* (- 1029) i0) (* (- 7) i1))) :named |9: 0 <= -7 + I - 1029*i0 - 7*i1|))
(assert (! (<= 0 i_us) :named |10: 0 <= i_us|))
(assert (! (> 7 i_us) :named |11: 7 > i_us|))
(assert (! true :named |12: true|))
(assert (! (= (+ 1028 I) (+ (* 1029 |q!(I + 1028)//(1029)|) |r!(I + 1028)%(1029)|)) :named |13: 1028 + I = 1029*q!(I + 1028)//(1029) + r!(I + 1028)%(1029)|))
(assert (! (>= |r!(I + 1028)%(1029)| 0) :named |14: r!(I + 1028)%(1029) >= 0|))
(assert (! (> 1029 |r!(I + 1028)%(1029)|) :named |15: 1029 > r!(I + 1028)%(1029)|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |16: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |17: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |18: 1024 > r!(K + 1023)%(1024)|))
(assert (! (= (+ 6 (ite (<= 1029 (+ I (* (- 1029) i0))) 1029 (+ I (* (- 1029) i0)))) (+ (* 7 |q!(IMin(1029, I - 1029*i0) + 6)//(7)|) |r!(IMin(1029, I - 1029*i0) + 6)%(7)|)) :named |19: 6 + if(1029 <= I - 1029*i0, 1029, I - 1029*i0) = 7*q!(IMin(1029, I - 1029*i0) + 6)//(7) + r!(...|))
(assert (! (>= |r!(IMin(1029, I - 1029*i0) + 6)%(7)| 0) :named |20: r!(IMin(1029, I - 1029*i0) + 6)%(7) >= 0|))
(assert (! (> 7 |r!(IMin(1029, I - 1029*i0) + 6)%(7)|) :named |21: 7 > r!(IMin(1029, I - 1029*i0) + 6)%(7)|))
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
; question 6
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun K () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 1028)//(1029)| () Int)
(declare-fun k0 () Int)
(declare-fun |q!(K + 1023)//(1024)| () Int)
(declare-fun i1 () Int)
(declare-fun |q!(IMin(1029, I - 1029*i0) + 6)//(7)| () Int)
(declare-fun i_us () Int)
(declare-fun |r!(I + 1028)%(1029)| () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(declare-fun |r!(IMin(1029, I - 1029*i0) + 6)%(7)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 i0) :named |3: 0 <= i0|))
(assert (! (< i0 |q!(I + 1028)//(1029)|) :named |4: i0 < q!(I + 1028)//(1029)|))
(assert (! (<= 0 k0) :named |5: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |6: k0 < q!(K + 1023)//(1024)|))
(assert (! (<= 0 i1) :named |7: 0 <= i1|))
(assert (! (< i1 |q!(IMin(1029, I - 1029*i0) + 6)//(7)|) :named |8: i1 < q!(IMin(1029, I - 1029*i0) + 6)//(7)|))
(assert (! (> 0 (+ (- 7) I (* (- 1029) i0) (* (- 7) i1))) :named |9: 0 > -7 + I - 1029*i0 - 7*i1|))
(assert (! (<= 0 i_us) :named |10: 0 <= i_us|))
(assert (! (> 7 i_us) :named |11: 7 > i_us|))
(assert (! (< (+ i_us (* 7 i1) (* 1029 i0)) I) :named |12: i_us + 7*i1 + 1029*i0 < I|))
(assert (! true :named |13: true|))
(assert (! (= (+ 1028 I) (+ (* 1029 |q!(I + 1028)//(1029)|) |r!(I + 1028)%(1029)|)) :named |14: 1028 + I = 1029*q!(I + 1028)//(1029) + r!(I + 1028)%(1029)|))
(assert (! (>= |r!(I + 1028)%(1029)| 0) :named |15: r!(I + 1028)%(1029) >= 0|))
(assert (! (> 1029 |r!(I + 1028)%(1029)|) :named |16: 1029 > r!(I + 1028)%(1029)|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |17: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |18: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |19: 1024 > r!(K + 1023)%(1024)|))
(assert (! (= (+ 6 (ite (<= 1029 (+ I (* (- 1029) i0))) 1029 (+ I (* (- 1029) i0)))) (+ (* 7 |q!(IMin(1029, I - 1029*i0) + 6)//(7)|) |r!(IMin(1029, I - 1029*i0) + 6)%(7)|)) :named |20: 6 + if(1029 <= I - 1029*i0, 1029, I - 1029*i0) = 7*q!(IMin(1029, I - 1029*i0) + 6)//(7) + r!(...|))
(assert (! (>= |r!(IMin(1029, I - 1029*i0) + 6)%(7)| 0) :named |21: r!(IMin(1029, I - 1029*i0) + 6)%(7) >= 0|))
(assert (! (> 7 |r!(IMin(1029, I - 1029*i0) + 6)%(7)|) :named |22: 7 > r!(IMin(1029, I - 1029*i0) + 6)%(7)|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)
