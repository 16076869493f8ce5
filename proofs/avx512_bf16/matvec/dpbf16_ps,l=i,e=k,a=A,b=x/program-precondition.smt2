(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512_bf16/matvec/dpbf16_ps,l=i,e=k,a=A,b=x
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
(declare-fun k0 () Int)
(declare-fun |q!(K + 1023)//(1024)| () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 511)//(512)| () Int)
(declare-fun i1 () Int)
(declare-fun |q!(IMin(512, I - 512*i0) + 255)//(256)| () Int)
(declare-fun i_ul () Int)
(declare-fun l () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(declare-fun |r!(I + 511)%(512)| () Int)
(declare-fun |r!(IMin(512, I - 512*i0) + 255)%(256)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 k0) :named |3: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |4: k0 < q!(K + 1023)//(1024)|))
(assert (! (<= 0 i0) :named |5: 0 <= i0|))
(assert (! (< i0 |q!(I + 511)//(512)|) :named |6: i0 < q!(I + 511)//(512)|))
(assert (! (<= 0 i1) :named |7: 0 <= i1|))
(assert (! (< i1 |q!(IMin(512, I - 512*i0) + 255)//(256)|) :named |8: i1 < q!(IMin(512, I - 512*i0) + 255)//(256)|))
(assert (! (<= 0 (+ (- 256) I (* (- 512) i0) (* (- 256) i1))) :named |9: 0 <= -256 + I - 512*i0 - 256*i1|))
(assert (! (<= 0 i_ul) :named |10: 0 <= i_ul|))
(assert (! (> 16 i_ul) :named |11: 16 > i_ul|))
(assert (! (<= 0 l) :named |12: 0 <= l|))
(assert (! (> 16 l) :named |13: 16 > l|))
(assert (! true :named |14: true|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |15: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |16: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |17: 1024 > r!(K + 1023)%(1024)|))
(assert (! (= (+ 511 I) (+ (* 512 |q!(I + 511)//(512)|) |r!(I + 511)%(512)|)) :named |18: 511 + I = 512*q!(I + 511)//(512) + r!(I + 511)%(512)|))
(assert (! (>= |r!(I + 511)%(512)| 0) :named |19: r!(I + 511)%(512) >= 0|))
(assert (! (> 512 |r!(I + 511)%(512)|) :named |20: 512 > r!(I + 511)%(512)|))
(assert (! (= (+ 255 (ite (<= 512 (+ I (* (- 512) i0))) 512 (+ I (* (- 512) i0)))) (+ (* 256 |q!(IMin(512, I - 512*i0) + 255)//(256)|) |r!(IMin(512, I - 512*i0) + 255)%(256)|)) :named |21: 255 + if(512 <= I - 512*i0, 512, I - 512*i0) = 256*q!(IMin(512, I - 512*i0) + 255)//(256) + r...|))
(assert (! (>= |r!(IMin(512, I - 512*i0) + 255)%(256)| 0) :named |22: r!(IMin(512, I - 512*i0) + 255)%(256) >= 0|))
(assert (! (> 256 |r!(IMin(512, I - 512*i0) + 255)%(256)|) :named |23: 256 > r!(IMin(512, I - 512*i0) + 255)%(256)|))
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
(declare-fun k0 () Int)
(declare-fun |q!(K + 1023)//(1024)| () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 511)//(512)| () Int)
(declare-fun i1 () Int)
(declare-fun |q!(IMin(512, I - 512*i0) + 255)//(256)| () Int)
(declare-fun i_ul () Int)
(declare-fun l () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(declare-fun |r!(I + 511)%(512)| () Int)
(declare-fun |r!(IMin(512, I - 512*i0) + 255)%(256)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 k0) :named |3: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |4: k0 < q!(K + 1023)//(1024)|))
(assert (! (<= 0 i0) :named |5: 0 <= i0|))
(assert (! (< i0 |q!(I + 511)//(512)|) :named |6: i0 < q!(I + 511)//(512)|))
(assert (! (<= 0 i1) :named |7: 0 <= i1|))
(assert (! (< i1 |q!(IMin(512, I - 512*i0) + 255)//(256)|) :named |8: i1 < q!(IMin(512, I - 512*i0) + 255)//(256)|))
(assert (! (> 0 (+ (- 256) I (* (- 512) i0) (* (- 256) i1))) :named |9: 0 > -256 + I - 512*i0 - 256*i1|))
(assert (! (<= 0 i_ul) :named |10: 0 <= i_ul|))
(assert (! (> 16 i_ul) :named |11: 16 > i_ul|))
(assert (! (<= 0 l) :named |12: 0 <= l|))
(assert (! (> 16 l) :named |13: 16 > l|))
(assert (! (< l (+ I (* (- 512) i0) (* (- 256) i1) (* (- 16) i_ul))) :named |14: l < I - 512*i0 - 256*i1 - 16*i_ul|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |15: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |16: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |17: 1024 > r!(K + 1023)%(1024)|))
(assert (! (= (+ 511 I) (+ (* 512 |q!(I + 511)//(512)|) |r!(I + 511)%(512)|)) :named |18: 511 + I = 512*q!(I + 511)//(512) + r!(I + 511)%(512)|))
(assert (! (>= |r!(I + 511)%(512)| 0) :named |19: r!(I + 511)%(512) >= 0|))
(assert (! (> 512 |r!(I + 511)%(512)|) :named |20: 512 > r!(I + 511)%(512)|))
(assert (! (= (+ 255 (ite (<= 512 (+ I (* (- 512) i0))) 512 (+ I (* (- 512) i0)))) (+ (* 256 |q!(IMin(512, I - 512*i0) + 255)//(256)|) |r!(IMin(512, I - 512*i0) + 255)%(256)|)) :named |21: 255 + if(512 <= I - 512*i0, 512, I - 512*i0) = 256*q!(IMin(512, I - 512*i0) + 255)//(256) + r...|))
(assert (! (>= |r!(IMin(512, I - 512*i0) + 255)%(256)| 0) :named |22: r!(IMin(512, I - 512*i0) + 255)%(256) >= 0|))
(assert (! (> 256 |r!(IMin(512, I - 512*i0) + 255)%(256)|) :named |23: 256 > r!(IMin(512, I - 512*i0) + 255)%(256)|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of broadcast_bf16x2 x_packed -> b_r: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of broadcast_bf16x2 x_packed -> b_r: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of broadcast_bf16x2 x_packed -> b_r: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of broadcast_bf16x2 x_packed -> b_r: the lanes of broadcast_bf16x2 are consecutive in x_packed
; question 3
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun K () Int)
(declare-fun k0 () Int)
(declare-fun |q!(K + 1023)//(1024)| () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 511)//(512)| () Int)
(declare-fun i1 () Int)
(declare-fun |q!(IMin(512, I - 512*i0) + 255)//(256)| () Int)
(declare-fun k1 () Int)
(declare-fun |q!(IMin(1024, K - 1024*k0) + 1)//(2)| () Int)
(declare-fun l () Int)
(declare-fun e () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(declare-fun |r!(I + 511)%(512)| () Int)
(declare-fun |r!(IMin(512, I - 512*i0) + 255)%(256)| () Int)
(declare-fun |r!(IMin(1024, K - 1024*k0) + 1)%(2)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 k0) :named |3: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |4: k0 < q!(K + 1023)//(1024)|))
(assert (! (<= 0 i0) :named |5: 0 <= i0|))
(assert (! (< i0 |q!(I + 511)//(512)|) :named |6: i0 < q!(I + 511)//(512)|))
(assert (! (<= 0 i1) :named |7: 0 <= i1|))
(assert (! (< i1 |q!(IMin(512, I - 512*i0) + 255)//(256)|) :named |8: i1 < q!(IMin(512, I - 512*i0) + 255)//(256)|))
(assert (! (<= 0 k1) :named |9: 0 <= k1|))
(assert (! (< k1 |q!(IMin(1024, K - 1024*k0) + 1)//(2)|) :named |10: k1 < q!(IMin(1024, K - 1024*k0) + 1)//(2)|))
(assert (! (<= 0 l) :named |11: 0 <= l|))
(assert (! (> 16 l) :named |12: 16 > l|))
(assert (! (<= 0 e) :named |13: 0 <= e|))
(assert (! (> 2 e) :named |14: 2 > e|))
(assert (! true :named |15: true|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |16: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |17: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |18: 1024 > r!(K + 1023)%(1024)|))
(assert (! (= (+ 511 I) (+ (* 512 |q!(I + 511)//(512)|) |r!(I + 511)%(512)|)) :named |19: 511 + I = 512*q!(I + 511)//(512) + r!(I + 511)%(512)|))
(assert (! (>= |r!(I + 511)%(512)| 0) :named |20: r!(I + 511)%(512) >= 0|))
(assert (! (> 512 |r!(I + 511)%(512)|) :named |21: 512 > r!(I + 511)%(512)|))
(assert (! (= (+ 255 (ite (<= 512 (+ I (* (- 512) i0))) 512 (+ I (* (- 512) i0)))) (+ (* 256 |q!(IMin(512, I - 512*i0) + 255)//(256)|) |r!(IMin(512, I - 512*i0) + 255)%(256)|)) :named |22: 255 + if(512 <= I - 512*i0, 512, I - 512*i0) = 256*q!(IMin(512, I - 512*i0) + 255)//(256) + r...|))
(assert (! (>= |r!(IMin(512, I - 512*i0) + 255)%(256)| 0) :named |23: r!(IMin(512, I - 512*i0) + 255)%(256) >= 0|))
(assert (! (> 256 |r!(IMin(512, I - 512*i0) + 255)%(256)|) :named |24: 256 > r!(IMin(512, I - 512*i0) + 255)%(256)|))
(assert (! (= (+ 1 (ite (<= 1024 (+ K (* (- 1024) k0))) 1024 (+ K (* (- 1024) k0)))) (+ (* 2 |q!(IMin(1024, K - 1024*k0) + 1)//(2)|) |r!(IMin(1024, K - 1024*k0) + 1)%(2)|)) :named |25: 1 + if(1024 <= K - 1024*k0, 1024, K - 1024*k0) = 2*q!(IMin(1024, K - 1024*k0) + 1)//(2) + r!(...|))
(assert (! (>= |r!(IMin(1024, K - 1024*k0) + 1)%(2)| 0) :named |26: r!(IMin(1024, K - 1024*k0) + 1)%(2) >= 0|))
(assert (! (> 2 |r!(IMin(1024, K - 1024*k0) + 1)%(2)|) :named |27: 2 > r!(IMin(1024, K - 1024*k0) + 1)%(2)|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)

; precondition of load_bf16x2 A_packed -> a_r: a mask is given just where the instruction takes one
;   decided without a solver, from the structure alone

; precondition of load_bf16x2 A_packed -> a_r: the register has the instruction's shape
;   decided without a solver, from the structure alone

; precondition of load_bf16x2 A_packed -> a_r: the memory operand is in memory
;   decided without a solver, from the structure alone

; precondition of load_bf16x2 A_packed -> a_r: the lanes of load_bf16x2 are consecutive in A_packed
; question 4
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun K () Int)
(declare-fun k0 () Int)
(declare-fun |q!(K + 1023)//(1024)| () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 511)//(512)| () Int)
(declare-fun i1 () Int)
(declare-fun |q!(IMin(512, I - 512*i0) + 255)//(256)| () Int)
(declare-fun k1 () Int)
(declare-fun |q!(IMin(1024, K - 1024*k0) + 1)//(2)| () Int)
(declare-fun i_u () Int)
(declare-fun l () Int)
(declare-fun e () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(declare-fun |r!(I + 511)%(512)| () Int)
(declare-fun |r!(IMin(512, I - 512*i0) + 255)%(256)| () Int)
(declare-fun |r!(IMin(1024, K - 1024*k0) + 1)%(2)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 k0) :named |3: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |4: k0 < q!(K + 1023)//(1024)|))
(assert (! (<= 0 i0) :named |5: 0 <= i0|))
(assert (! (< i0 |q!(I + 511)//(512)|) :named |6: i0 < q!(I + 511)//(512)|))
(assert (! (<= 0 i1) :named |7: 0 <= i1|))
(assert (! (< i1 |q!(IMin(512, I - 512*i0) + 255)//(256)|) :named |8: i1 < q!(IMin(512, I - 512*i0) + 255)//(256)|))
(assert (! (<= 0 k1) :named |9: 0 <= k1|))
(assert (! (< k1 |q!(IMin(1024, K - 1024*k0) + 1)//(2)|) :named |10: k1 < q!(IMin(1024, K - 1024*k0) + 1)//(2)|))
(assert (! (<= 0 i_u) :named |11: 0 <= i_u|))
(assert (! (> 16 i_u) :named |12: 16 > i_u|))
(assert (! (<= 0 l) :named |13: 0 <= l|))
(assert (! (> 16 l) :named |14: 16 > l|))
(assert (! (<= 0 e) :named |15: 0 <= e|))
(assert (! (> 2 e) :named |16: 2 > e|))
(assert (! true :named |17: true|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |18: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |19: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |20: 1024 > r!(K + 1023)%(1024)|))
(assert (! (= (+ 511 I) (+ (* 512 |q!(I + 511)//(512)|) |r!(I + 511)%(512)|)) :named |21: 511 + I = 512*q!(I + 511)//(512) + r!(I + 511)%(512)|))
(assert (! (>= |r!(I + 511)%(512)| 0) :named |22: r!(I + 511)%(512) >= 0|))
(assert (! (> 512 |r!(I + 511)%(512)|) :named |23: 512 > r!(I + 511)%(512)|))
(assert (! (= (+ 255 (ite (<= 512 (+ I (* (- 512) i0))) 512 (+ I (* (- 512) i0)))) (+ (* 256 |q!(IMin(512, I - 512*i0) + 255)//(256)|) |r!(IMin(512, I - 512*i0) + 255)%(256)|)) :named |24: 255 + if(512 <= I - 512*i0, 512, I - 512*i0) = 256*q!(IMin(512, I - 512*i0) + 255)//(256) + r...|))
(assert (! (>= |r!(IMin(512, I - 512*i0) + 255)%(256)| 0) :named |25: r!(IMin(512, I - 512*i0) + 255)%(256) >= 0|))
(assert (! (> 256 |r!(IMin(512, I - 512*i0) + 255)%(256)|) :named |26: 256 > r!(IMin(512, I - 512*i0) + 255)%(256)|))
(assert (! (= (+ 1 (ite (<= 1024 (+ K (* (- 1024) k0))) 1024 (+ K (* (- 1024) k0)))) (+ (* 2 |q!(IMin(1024, K - 1024*k0) + 1)//(2)|) |r!(IMin(1024, K - 1024*k0) + 1)%(2)|)) :named |27: 1 + if(1024 <= K - 1024*k0, 1024, K - 1024*k0) = 2*q!(IMin(1024, K - 1024*k0) + 1)//(2) + r!(...|))
(assert (! (>= |r!(IMin(1024, K - 1024*k0) + 1)%(2)| 0) :named |28: r!(IMin(1024, K - 1024*k0) + 1)%(2) >= 0|))
(assert (! (> 2 |r!(IMin(1024, K - 1024*k0) + 1)%(2)|) :named |29: 2 > r!(IMin(1024, K - 1024*k0) + 1)%(2)|))
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
(declare-fun k0 () Int)
(declare-fun |q!(K + 1023)//(1024)| () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 511)//(512)| () Int)
(declare-fun i1 () Int)
(declare-fun |q!(IMin(512, I - 512*i0) + 255)//(256)| () Int)
(declare-fun i_us () Int)
(declare-fun l () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(declare-fun |r!(I + 511)%(512)| () Int)
(declare-fun |r!(IMin(512, I - 512*i0) + 255)%(256)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 k0) :named |3: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |4: k0 < q!(K + 1023)//(1024)|))
(assert (! (<= 0 i0) :named |5: 0 <= i0|))
(assert (! (< i0 |q!(I + 511)//(512)|) :named |6: i0 < q!(I + 511)//(512)|))
(assert (! (<= 0 i1) :named |7: 0 <= i1|))
(assert (! (< i1 |q!(IMin(512, I - 512*i0) + 255)//(256)|) :named |8: i1 < q!(IMin(512, I - 512*i0) + 255)//(256)|))
(assert (! (<= 0 (+ (- 256) I (* (- 512) i0) (* (- 256) i1))) :named |9: 0 <= -256 + I - 512*i0 - 256*i1|))
(assert (! (<= 0 i_us) :named |10: 0 <= i_us|))
(assert (! (> 16 i_us) :named |11: 16 > i_us|))
(assert (! (<= 0 l) :named |12: 0 <= l|))
(assert (! (> 16 l) :named |13: 16 > l|))
(assert (! true :named |14: true|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |15: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |16: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |17: 1024 > r!(K + 1023)%(1024)|))
(assert (! (= (+ 511 I) (+ (* 512 |q!(I + 511)//(512)|) |r!(I + 511)%(512)|)) :named |18: 511 + I = 512*q!(I + 511)//(512) + r!(I + 511)%(512)|))
(assert (! (>= |r!(I + 511)%(512)| 0) :named |19: r!(I + 511)%(512) >= 0|))
(assert (! (> 512 |r!(I + 511)%(512)|) :named |20: 512 > r!(I + 511)%(512)|))
(assert (! (= (+ 255 (ite (<= 512 (+ I (* (- 512) i0))) 512 (+ I (* (- 512) i0)))) (+ (* 256 |q!(IMin(512, I - 512*i0) + 255)//(256)|) |r!(IMin(512, I - 512*i0) + 255)%(256)|)) :named |21: 255 + if(512 <= I - 512*i0, 512, I - 512*i0) = 256*q!(IMin(512, I - 512*i0) + 255)//(256) + r...|))
(assert (! (>= |r!(IMin(512, I - 512*i0) + 255)%(256)| 0) :named |22: r!(IMin(512, I - 512*i0) + 255)%(256) >= 0|))
(assert (! (> 256 |r!(IMin(512, I - 512*i0) + 255)%(256)|) :named |23: 256 > r!(IMin(512, I - 512*i0) + 255)%(256)|))
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
(declare-fun k0 () Int)
(declare-fun |q!(K + 1023)//(1024)| () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 511)//(512)| () Int)
(declare-fun i1 () Int)
(declare-fun |q!(IMin(512, I - 512*i0) + 255)//(256)| () Int)
(declare-fun i_us () Int)
(declare-fun l () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(declare-fun |r!(I + 511)%(512)| () Int)
(declare-fun |r!(IMin(512, I - 512*i0) + 255)%(256)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 k0) :named |3: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |4: k0 < q!(K + 1023)//(1024)|))
(assert (! (<= 0 i0) :named |5: 0 <= i0|))
(assert (! (< i0 |q!(I + 511)//(512)|) :named |6: i0 < q!(I + 511)//(512)|))
(assert (! (<= 0 i1) :named |7: 0 <= i1|))
(assert (! (< i1 |q!(IMin(512, I - 512*i0) + 255)//(256)|) :named |8: i1 < q!(IMin(512, I - 512*i0) + 255)//(256)|))
(assert (! (> 0 (+ (- 256) I (* (- 512) i0) (* (- 256) i1))) :named |9: 0 > -256 + I - 512*i0 - 256*i1|))
(assert (! (<= 0 i_us) :named |10: 0 <= i_us|))
(assert (! (> 16 i_us) :named |11: 16 > i_us|))
(assert (! (<= 0 l) :named |12: 0 <= l|))
(assert (! (> 16 l) :named |13: 16 > l|))
(assert (! (< l (+ I (* (- 512) i0) (* (- 256) i1) (* (- 16) i_us))) :named |14: l < I - 512*i0 - 256*i1 - 16*i_us|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |15: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |16: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |17: 1024 > r!(K + 1023)%(1024)|))
(assert (! (= (+ 511 I) (+ (* 512 |q!(I + 511)//(512)|) |r!(I + 511)%(512)|)) :named |18: 511 + I = 512*q!(I + 511)//(512) + r!(I + 511)%(512)|))
(assert (! (>= |r!(I + 511)%(512)| 0) :named |19: r!(I + 511)%(512) >= 0|))
(assert (! (> 512 |r!(I + 511)%(512)|) :named |20: 512 > r!(I + 511)%(512)|))
(assert (! (= (+ 255 (ite (<= 512 (+ I (* (- 512) i0))) 512 (+ I (* (- 512) i0)))) (+ (* 256 |q!(IMin(512, I - 512*i0) + 255)//(256)|) |r!(IMin(512, I - 512*i0) + 255)%(256)|)) :named |21: 255 + if(512 <= I - 512*i0, 512, I - 512*i0) = 256*q!(IMin(512, I - 512*i0) + 255)//(256) + r...|))
(assert (! (>= |r!(IMin(512, I - 512*i0) + 255)%(256)| 0) :named |22: r!(IMin(512, I - 512*i0) + 255)%(256) >= 0|))
(assert (! (> 256 |r!(IMin(512, I - 512*i0) + 255)%(256)|) :named |23: 256 > r!(IMin(512, I - 512*i0) + 255)%(256)|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)
