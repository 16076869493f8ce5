(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512_vnni/matvec/dpbusd,l=i,e=k,a=A,b=x
; claim: precondition
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

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
(declare-fun k0 () Int)
(declare-fun |q!(K + 1023)//(1024)| () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 703)//(704)| () Int)
(declare-fun i1 () Int)
(declare-fun |q!(IMin(704, I - 704*i0) + 351)//(352)| () Int)
(declare-fun i_ul () Int)
(declare-fun l () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(declare-fun |r!(I + 703)%(704)| () Int)
(declare-fun |r!(IMin(704, I - 704*i0) + 351)%(352)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 k0) :named |3: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |4: k0 < q!(K + 1023)//(1024)|))
(assert (! (<= 0 i0) :named |5: 0 <= i0|))
(assert (! (< i0 |q!(I + 703)//(704)|) :named |6: i0 < q!(I + 703)//(704)|))
(assert (! (<= 0 i1) :named |7: 0 <= i1|))
(assert (! (< i1 |q!(IMin(704, I - 704*i0) + 351)//(352)|) :named |8: i1 < q!(IMin(704, I - 704*i0) + 351)//(352)|))
(assert (! (<= 0 (+ (- 352) I (* (- 704) i0) (* (- 352) i1))) :named |9: 0 <= -352 + I - 704*i0 - 352*i1|))
(assert (! (<= 0 i_ul) :named |10: 0 <= i_ul|))
(assert (! (> 22 i_ul) :named |11: 22 > i_ul|))
(assert (! (<= 0 l) :named |12: 0 <= l|))
(assert (! (> 16 l) :named |13: 16 > l|))
(assert (! true :named |14: true|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |15: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |16: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |17: 1024 > r!(K + 1023)%(1024)|))
(assert (! (= (+ 703 I) (+ (* 704 |q!(I + 703)//(704)|) |r!(I + 703)%(704)|)) :named |18: 703 + I = 704*q!(I + 703)//(704) + r!(I + 703)%(704)|))
(assert (! (>= |r!(I + 703)%(704)| 0) :named |19: r!(I + 703)%(704) >= 0|))
(assert (! (> 704 |r!(I + 703)%(704)|) :named |20: 704 > r!(I + 703)%(704)|))
(assert (! (= (+ 351 (ite (<= 704 (+ I (* (- 704) i0))) 704 (+ I (* (- 704) i0)))) (+ (* 352 |q!(IMin(704, I - 704*i0) + 351)//(352)|) |r!(IMin(704, I - 704*i0) + 351)%(352)|)) :named |21: 351 + if(704 <= I - 704*i0, 704, I - 704*i0) = 352*q!(IMin(704, I - 704*i0) + 351)//(352) + r...|))
(assert (! (>= |r!(IMin(704, I - 704*i0) + 351)%(352)| 0) :named |22: r!(IMin(704, I - 704*i0) + 351)%(352) >= 0|))
(assert (! (> 352 |r!(IMin(704, I - 704*i0) + 351)%(352)|) :named |23: 352 > r!(IMin(704, I - 704*i0) + 351)%(352)|))
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
(declare-fun k0 () Int)
(declare-fun |q!(K + 1023)//(1024)| () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 703)//(704)| () Int)
(declare-fun i1 () Int)
(declare-fun |q!(IMin(704, I - 704*i0) + 351)//(352)| () Int)
(declare-fun i_ul () Int)
(declare-fun l () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(declare-fun |r!(I + 703)%(704)| () Int)
(declare-fun |r!(IMin(704, I - 704*i0) + 351)%(352)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 k0) :named |3: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |4: k0 < q!(K + 1023)//(1024)|))
(assert (! (<= 0 i0) :named |5: 0 <= i0|))
(assert (! (< i0 |q!(I + 703)//(704)|) :named |6: i0 < q!(I + 703)//(704)|))
(assert (! (<= 0 i1) :named |7: 0 <= i1|))
(assert (! (< i1 |q!(IMin(704, I - 704*i0) + 351)//(352)|) :named |8: i1 < q!(IMin(704, I - 704*i0) + 351)//(352)|))
(assert (! (> 0 (+ (- 352) I (* (- 704) i0) (* (- 352) i1))) :named |9: 0 > -352 + I - 704*i0 - 352*i1|))
(assert (! (<= 0 i_ul) :named |10: 0 <= i_ul|))
(assert (! (> 22 i_ul) :named |11: 22 > i_ul|))
(assert (! (<= 0 l) :named |12: 0 <= l|))
(assert (! (> 16 l) :named |13: 16 > l|))
(assert (! (< l (+ I (* (- 704) i0) (* (- 352) i1) (* (- 16) i_ul))) :named |14: l < I - 704*i0 - 352*i1 - 16*i_ul|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |15: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |16: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |17: 1024 > r!(K + 1023)%(1024)|))
(assert (! (= (+ 703 I) (+ (* 704 |q!(I + 703)//(704)|) |r!(I + 703)%(704)|)) :named |18: 703 + I = 704*q!(I + 703)//(704) + r!(I + 703)%(704)|))
(assert (! (>= |r!(I + 703)%(704)| 0) :named |19: r!(I + 703)%(704) >= 0|))
(assert (! (> 704 |r!(I + 703)%(704)|) :named |20: 704 > r!(I + 703)%(704)|))
(assert (! (= (+ 351 (ite (<= 704 (+ I (* (- 704) i0))) 704 (+ I (* (- 704) i0)))) (+ (* 352 |q!(IMin(704, I - 704*i0) + 351)//(352)|) |r!(IMin(704, I - 704*i0) + 351)%(352)|)) :named |21: 351 + if(704 <= I - 704*i0, 704, I - 704*i0) = 352*q!(IMin(704, I - 704*i0) + 351)//(352) + r...|))
(assert (! (>= |r!(IMin(704, I - 704*i0) + 351)%(352)| 0) :named |22: r!(IMin(704, I - 704*i0) + 351)%(352) >= 0|))
(assert (! (> 352 |r!(IMin(704, I - 704*i0) + 351)%(352)|) :named |23: 352 > r!(IMin(704, I - 704*i0) + 351)%(352)|))
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
(declare-fun k0 () Int)
(declare-fun |q!(K + 1023)//(1024)| () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 703)//(704)| () Int)
(declare-fun i1 () Int)
(declare-fun |q!(IMin(704, I - 704*i0) + 351)//(352)| () Int)
(declare-fun k1 () Int)
(declare-fun |q!(IMin(1024, K - 1024*k0) + 3)//(4)| () Int)
(declare-fun l () Int)
(declare-fun e () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(declare-fun |r!(I + 703)%(704)| () Int)
(declare-fun |r!(IMin(704, I - 704*i0) + 351)%(352)| () Int)
(declare-fun |r!(IMin(1024, K - 1024*k0) + 3)%(4)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 k0) :named |3: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |4: k0 < q!(K + 1023)//(1024)|))
(assert (! (<= 0 i0) :named |5: 0 <= i0|))
(assert (! (< i0 |q!(I + 703)//(704)|) :named |6: i0 < q!(I + 703)//(704)|))
(assert (! (<= 0 i1) :named |7: 0 <= i1|))
(assert (! (< i1 |q!(IMin(704, I - 704*i0) + 351)//(352)|) :named |8: i1 < q!(IMin(704, I - 704*i0) + 351)//(352)|))
(assert (! (<= 0 k1) :named |9: 0 <= k1|))
(assert (! (< k1 |q!(IMin(1024, K - 1024*k0) + 3)//(4)|) :named |10: k1 < q!(IMin(1024, K - 1024*k0) + 3)//(4)|))
(assert (! (<= 0 l) :named |11: 0 <= l|))
(assert (! (> 16 l) :named |12: 16 > l|))
(assert (! (<= 0 e) :named |13: 0 <= e|))
(assert (! (> 4 e) :named |14: 4 > e|))
(assert (! true :named |15: true|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |16: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |17: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |18: 1024 > r!(K + 1023)%(1024)|))
(assert (! (= (+ 703 I) (+ (* 704 |q!(I + 703)//(704)|) |r!(I + 703)%(704)|)) :named |19: 703 + I = 704*q!(I + 703)//(704) + r!(I + 703)%(704)|))
(assert (! (>= |r!(I + 703)%(704)| 0) :named |20: r!(I + 703)%(704) >= 0|))
(assert (! (> 704 |r!(I + 703)%(704)|) :named |21: 704 > r!(I + 703)%(704)|))
(assert (! (= (+ 351 (ite (<= 704 (+ I (* (- 704) i0))) 704 (+ I (* (- 704) i0)))) (+ (* 352 |q!(IMin(704, I - 704*i0) + 351)//(352)|) |r!(IMin(704, I - 704*i0) + 351)%(352)|)) :named |22: 351 + if(704 <= I - 704*i0, 704, I - 704*i0) = 352*q!(IMin(704, I - 704*i0) + 351)//(352) + r...|))
(assert (! (>= |r!(IMin(704, I - 704*i0) + 351)%(352)| 0) :named |23: r!(IMin(704, I - 704*i0) + 351)%(352) >= 0|))
(assert (! (> 352 |r!(IMin(704, I - 704*i0) + 351)%(352)|) :named |24: 352 > r!(IMin(704, I - 704*i0) + 351)%(352)|))
(assert (! (= (+ 3 (ite (<= 1024 (+ K (* (- 1024) k0))) 1024 (+ K (* (- 1024) k0)))) (+ (* 4 |q!(IMin(1024, K - 1024*k0) + 3)//(4)|) |r!(IMin(1024, K - 1024*k0) + 3)%(4)|)) :named |25: 3 + if(1024 <= K - 1024*k0, 1024, K - 1024*k0) = 4*q!(IMin(1024, K - 1024*k0) + 3)//(4) + r!(...|))
(assert (! (>= |r!(IMin(1024, K - 1024*k0) + 3)%(4)| 0) :named |26: r!(IMin(1024, K - 1024*k0) + 3)%(4) >= 0|))
(assert (! (> 4 |r!(IMin(1024, K - 1024*k0) + 3)%(4)|) :named |27: 4 > r!(IMin(1024, K - 1024*k0) + 3)%(4)|))
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
(declare-fun k0 () Int)
(declare-fun |q!(K + 1023)//(1024)| () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 703)//(704)| () Int)
(declare-fun i1 () Int)
(declare-fun |q!(IMin(704, I - 704*i0) + 351)//(352)| () Int)
(declare-fun k1 () Int)
(declare-fun |q!(IMin(1024, K - 1024*k0) + 3)//(4)| () Int)
(declare-fun i_u () Int)
(declare-fun l () Int)
(declare-fun e () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(declare-fun |r!(I + 703)%(704)| () Int)
(declare-fun |r!(IMin(704, I - 704*i0) + 351)%(352)| () Int)
(declare-fun |r!(IMin(1024, K - 1024*k0) + 3)%(4)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 k0) :named |3: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |4: k0 < q!(K + 1023)//(1024)|))
(assert (! (<= 0 i0) :named |5: 0 <= i0|))
(assert (! (< i0 |q!(I + 703)//(704)|) :named |6: i0 < q!(I + 703)//(704)|))
(assert (! (<= 0 i1) :named |7: 0 <= i1|))
(assert (! (< i1 |q!(IMin(704, I - 704*i0) + 351)//(352)|) :named |8: i1 < q!(IMin(704, I - 704*i0) + 351)//(352)|))
(assert (! (<= 0 k1) :named |9: 0 <= k1|))
(assert (! (< k1 |q!(IMin(1024, K - 1024*k0) + 3)//(4)|) :named |10: k1 < q!(IMin(1024, K - 1024*k0) + 3)//(4)|))
(assert (! (<= 0 i_u) :named |11: 0 <= i_u|))
(assert (! (> 22 i_u) :named |12: 22 > i_u|))
(assert (! (<= 0 l) :named |13: 0 <= l|))
(assert (! (> 16 l) :named |14: 16 > l|))
(assert (! (<= 0 e) :named |15: 0 <= e|))
(assert (! (> 4 e) :named |16: 4 > e|))
(assert (! true :named |17: true|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |18: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |19: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |20: 1024 > r!(K + 1023)%(1024)|))
(assert (! (= (+ 703 I) (+ (* 704 |q!(I + 703)//(704)|) |r!(I + 703)%(704)|)) :named |21: 703 + I = 704*q!(I + 703)//(704) + r!(I + 703)%(704)|))
(assert (! (>= |r!(I + 703)%(704)| 0) :named |22: r!(I + 703)%(704) >= 0|))
(assert (! (> 704 |r!(I + 703)%(704)|) :named |23: 704 > r!(I + 703)%(704)|))
(assert (! (= (+ 351 (ite (<= 704 (+ I (* (- 704) i0))) 704 (+ I (* (- 704) i0)))) (+ (* 352 |q!(IMin(704, I - 704*i0) + 351)//(352)|) |r!(IMin(704, I - 704*i0) + 351)%(352)|)) :named |24: 351 + if(704 <= I - 704*i0, 704, I - 704*i0) = 352*q!(IMin(704, I - 704*i0) + 351)//(352) + r...|))
(assert (! (>= |r!(IMin(704, I - 704*i0) + 351)%(352)| 0) :named |25: r!(IMin(704, I - 704*i0) + 351)%(352) >= 0|))
(assert (! (> 352 |r!(IMin(704, I - 704*i0) + 351)%(352)|) :named |26: 352 > r!(IMin(704, I - 704*i0) + 351)%(352)|))
(assert (! (= (+ 3 (ite (<= 1024 (+ K (* (- 1024) k0))) 1024 (+ K (* (- 1024) k0)))) (+ (* 4 |q!(IMin(1024, K - 1024*k0) + 3)//(4)|) |r!(IMin(1024, K - 1024*k0) + 3)%(4)|)) :named |27: 3 + if(1024 <= K - 1024*k0, 1024, K - 1024*k0) = 4*q!(IMin(1024, K - 1024*k0) + 3)//(4) + r!(...|))
(assert (! (>= |r!(IMin(1024, K - 1024*k0) + 3)%(4)| 0) :named |28: r!(IMin(1024, K - 1024*k0) + 3)%(4) >= 0|))
(assert (! (> 4 |r!(IMin(1024, K - 1024*k0) + 3)%(4)|) :named |29: 4 > r!(IMin(1024, K - 1024*k0) + 3)%(4)|))
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
(declare-fun k0 () Int)
(declare-fun |q!(K + 1023)//(1024)| () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 703)//(704)| () Int)
(declare-fun i1 () Int)
(declare-fun |q!(IMin(704, I - 704*i0) + 351)//(352)| () Int)
(declare-fun i_us () Int)
(declare-fun l () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(declare-fun |r!(I + 703)%(704)| () Int)
(declare-fun |r!(IMin(704, I - 704*i0) + 351)%(352)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 k0) :named |3: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |4: k0 < q!(K + 1023)//(1024)|))
(assert (! (<= 0 i0) :named |5: 0 <= i0|))
(assert (! (< i0 |q!(I + 703)//(704)|) :named |6: i0 < q!(I + 703)//(704)|))
(assert (! (<= 0 i1) :named |7: 0 <= i1|))
(assert (! (< i1 |q!(IMin(704, I - 704*i0) + 351)//(352)|) :named |8: i1 < q!(IMin(704, I - 704*i0) + 351)//(352)|))
(assert (! (<= 0 (+ (- 352) I (* (- 704) i0) (* (- 352) i1))) :named |9: 0 <= -352 + I - 704*i0 - 352*i1|))
(assert (! (<= 0 i_us) :named |10: 0 <= i_us|))
(assert (! (> 22 i_us) :named |11: 22 > i_us|))
(assert (! (<= 0 l) :named |12: 0 <= l|))
(assert (! (> 16 l) :named |13: 16 > l|))
(assert (! true :named |14: true|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |15: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |16: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |17: 1024 > r!(K + 1023)%(1024)|))
(assert (! (= (+ 703 I) (+ (* 704 |q!(I + 703)//(704)|) |r!(I + 703)%(704)|)) :named |18: 703 + I = 704*q!(I + 703)//(704) + r!(I + 703)%(704)|))
(assert (! (>= |r!(I + 703)%(704)| 0) :named |19: r!(I + 703)%(704) >= 0|))
(assert (! (> 704 |r!(I + 703)%(704)|) :named |20: 704 > r!(I + 703)%(704)|))
(assert (! (= (+ 351 (ite (<= 704 (+ I (* (- 704) i0))) 704 (+ I (* (- 704) i0)))) (+ (* 352 |q!(IMin(704, I - 704*i0) + 351)//(352)|) |r!(IMin(704, I - 704*i0) + 351)%(352)|)) :named |21: 351 + if(704 <= I - 704*i0, 704, I - 704*i0) = 352*q!(IMin(704, I - 704*i0) + 351)//(352) + r...|))
(assert (! (>= |r!(IMin(704, I - 704*i0) + 351)%(352)| 0) :named |22: r!(IMin(704, I - 704*i0) + 351)%(352) >= 0|))
(assert (! (> 352 |r!(IMin(704, I - 704*i0) + 351)%(352)|) :named |23: 352 > r!(IMin(704, I - 704*i0) + 351)%(352)|))
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
(declare-fun k0 () Int)
(declare-fun |q!(K + 1023)//(1024)| () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 703)//(704)| () Int)
(declare-fun i1 () Int)
(declare-fun |q!(IMin(704, I - 704*i0) + 351)//(352)| () Int)
(declare-fun i_us () Int)
(declare-fun l () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(declare-fun |r!(I + 703)%(704)| () Int)
(declare-fun |r!(IMin(704, I - 704*i0) + 351)%(352)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 k0) :named |3: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |4: k0 < q!(K + 1023)//(1024)|))
(assert (! (<= 0 i0) :named |5: 0 <= i0|))
(assert (! (< i0 |q!(I + 703)//(704)|) :named |6: i0 < q!(I + 703)//(704)|))
(assert (! (<= 0 i1) :named |7: 0 <= i1|))
(assert (! (< i1 |q!(IMin(704, I - 704*i0) + 351)//(352)|) :named |8: i1 < q!(IMin(704, I - 704*i0) + 351)//(352)|))
(assert (! (> 0 (+ (- 352) I (* (- 704) i0) (* (- 352) i1))) :named |9: 0 > -352 + I - 704*i0 - 352*i1|))
(assert (! (<= 0 i_us) :named |10: 0 <= i_us|))
(assert (! (> 22 i_us) :named |11: 22 > i_us|))
(assert (! (<= 0 l) :named |12: 0 <= l|))
(assert (! (> 16 l) :named |13: 16 > l|))
(assert (! (< l (+ I (* (- 704) i0) (* (- 352) i1) (* (- 16) i_us))) :named |14: l < I - 704*i0 - 352*i1 - 16*i_us|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |15: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |16: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |17: 1024 > r!(K + 1023)%(1024)|))
(assert (! (= (+ 703 I) (+ (* 704 |q!(I + 703)//(704)|) |r!(I + 703)%(704)|)) :named |18: 703 + I = 704*q!(I + 703)//(704) + r!(I + 703)%(704)|))
(assert (! (>= |r!(I + 703)%(704)| 0) :named |19: r!(I + 703)%(704) >= 0|))
(assert (! (> 704 |r!(I + 703)%(704)|) :named |20: 704 > r!(I + 703)%(704)|))
(assert (! (= (+ 351 (ite (<= 704 (+ I (* (- 704) i0))) 704 (+ I (* (- 704) i0)))) (+ (* 352 |q!(IMin(704, I - 704*i0) + 351)//(352)|) |r!(IMin(704, I - 704*i0) + 351)%(352)|)) :named |21: 351 + if(704 <= I - 704*i0, 704, I - 704*i0) = 352*q!(IMin(704, I - 704*i0) + 351)//(352) + r...|))
(assert (! (>= |r!(IMin(704, I - 704*i0) + 351)%(352)| 0) :named |22: r!(IMin(704, I - 704*i0) + 351)%(352) >= 0|))
(assert (! (> 352 |r!(IMin(704, I - 704*i0) + 351)%(352)|) :named |23: 352 > r!(IMin(704, I - 704*i0) + 351)%(352)|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)
