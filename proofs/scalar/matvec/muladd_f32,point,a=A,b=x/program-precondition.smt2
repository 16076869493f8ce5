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
(declare-fun k0 () Int)
(declare-fun |q!(K + 1023)//(1024)| () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 512)//(513)| () Int)
(declare-fun i1 () Int)
(declare-fun |q!(IMin(513, I - 513*i0) + 26)//(27)| () Int)
(declare-fun i2 () Int)
(declare-fun |q!(IMin(27, I - 513*i0 - 27*i1) + 8)//(9)| () Int)
(declare-fun i_ul () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(declare-fun |r!(I + 512)%(513)| () Int)
(declare-fun |r!(IMin(513, I - 513*i0) + 26)%(27)| () Int)
(declare-fun |r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 k0) :named |3: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |4: k0 < q!(K + 1023)//(1024)|))
(assert (! (<= 0 i0) :named |5: 0 <= i0|))
(assert (! (< i0 |q!(I + 512)//(513)|) :named |6: i0 < q!(I + 512)//(513)|))
(assert (! (<= 0 i1) :named |7: 0 <= i1|))
(assert (! (< i1 |q!(IMin(513, I - 513*i0) + 26)//(27)|) :named |8: i1 < q!(IMin(513, I - 513*i0) + 26)//(27)|))
(assert (! (<= 0 i2) :named |9: 0 <= i2|))
(assert (! (< i2 |q!(IMin(27, I - 513*i0 - 27*i1) + 8)//(9)|) :named |10: i2 < q!(IMin(27, I - 513*i0 - 27*i1) + 8)//(9)|))
(assert (! (<= 0 (+ (- 9) I (* (- 513) i0) (* (- 27) i1) (* (- 9) i2))) :named |11: 0 <= -9 + I - 513*i0 - 27*i1 - 9*i2|))
(assert (! (<= 0 i_ul) :named |12: 0 <= i_ul|))
(assert (! (> 9 i_ul) :named |13: 9 > i_ul|))
(assert (! true :named |14: true|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |15: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |16: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |17: 1024 > r!(K + 1023)%(1024)|))
(assert (! (= (+ 512 I) (+ (* 513 |q!(I + 512)//(513)|) |r!(I + 512)%(513)|)) :named |18: 512 + I = 513*q!(I + 512)//(513) + r!(I + 512)%(513)|))
(assert (! (>= |r!(I + 512)%(513)| 0) :named |19: r!(I + 512)%(513) >= 0|))
(assert (! (> 513 |r!(I + 512)%(513)|) :named |20: 513 > r!(I + 512)%(513)|))
(assert (! (= (+ 26 (ite (<= 513 (+ I (* (- 513) i0))) 513 (+ I (* (- 513) i0)))) (+ (* 27 |q!(IMin(513, I - 513*i0) + 26)//(27)|) |r!(IMin(513, I - 513*i0) + 26)%(27)|)) :named |21: 26 + if(513 <= I - 513*i0, 513, I - 513*i0) = 27*q!(IMin(513, I - 513*i0) + 26)//(27) + r!(IM...|))
(assert (! (>= |r!(IMin(513, I - 513*i0) + 26)%(27)| 0) :named |22: r!(IMin(513, I - 513*i0) + 26)%(27) >= 0|))
(assert (! (> 27 |r!(IMin(513, I - 513*i0) + 26)%(27)|) :named |23: 27 > r!(IMin(513, I - 513*i0) + 26)%(27)|))
(assert (! (= (+ 8 (ite (<= 27 (+ I (* (- 513) i0) (* (- 27) i1))) 27 (+ I (* (- 513) i0) (* (- 27) i1)))) (+ (* 9 |q!(IMin(27, I - 513*i0 - 27*i1) + 8)//(9)|) |r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9)|)) :named |24: 8 + if(27 <= I - 513*i0 - 27*i1, 27, I - 513*i0 - 27*i1) = 9*q!(IMin(27, I - 513*i0 - 27*i1) ...|))
(assert (! (>= |r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9)| 0) :named |25: r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9) >= 0|))
(assert (! (> 9 |r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9)|) :named |26: 9 > r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9)|))
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
(declare-fun k0 () Int)
(declare-fun |q!(K + 1023)//(1024)| () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 512)//(513)| () Int)
(declare-fun i1 () Int)
(declare-fun |q!(IMin(513, I - 513*i0) + 26)//(27)| () Int)
(declare-fun i2 () Int)
(declare-fun |q!(IMin(27, I - 513*i0 - 27*i1) + 8)//(9)| () Int)
(declare-fun i_ul () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(declare-fun |r!(I + 512)%(513)| () Int)
(declare-fun |r!(IMin(513, I - 513*i0) + 26)%(27)| () Int)
(declare-fun |r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 k0) :named |3: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |4: k0 < q!(K + 1023)//(1024)|))
(assert (! (<= 0 i0) :named |5: 0 <= i0|))
(assert (! (< i0 |q!(I + 512)//(513)|) :named |6: i0 < q!(I + 512)//(513)|))
(assert (! (<= 0 i1) :named |7: 0 <= i1|))
(assert (! (< i1 |q!(IMin(513, I - 513*i0) + 26)//(27)|) :named |8: i1 < q!(IMin(513, I - 513*i0) + 26)//(27)|))
(assert (! (<= 0 i2) :named |9: 0 <= i2|))
(assert (! (< i2 |q!(IMin(27, I - 513*i0 - 27*i1) + 8)//(9)|) :named |10: i2 < q!(IMin(27, I - 513*i0 - 27*i1) + 8)//(9)|))
(assert (! (> 0 (+ (- 9) I (* (- 513) i0) (* (- 27) i1) (* (- 9) i2))) :named |11: 0 > -9 + I - 513*i0 - 27*i1 - 9*i2|))
(assert (! (<= 0 i_ul) :named |12: 0 <= i_ul|))
(assert (! (> 9 i_ul) :named |13: 9 > i_ul|))
(assert (! (< (+ i_ul (* 9 i2) (* 27 i1) (* 513 i0)) I) :named |14: i_ul + 9*i2 + 27*i1 + 513*i0 < I|))
(assert (! true :named |15: true|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |16: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |17: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |18: 1024 > r!(K + 1023)%(1024)|))
(assert (! (= (+ 512 I) (+ (* 513 |q!(I + 512)//(513)|) |r!(I + 512)%(513)|)) :named |19: 512 + I = 513*q!(I + 512)//(513) + r!(I + 512)%(513)|))
(assert (! (>= |r!(I + 512)%(513)| 0) :named |20: r!(I + 512)%(513) >= 0|))
(assert (! (> 513 |r!(I + 512)%(513)|) :named |21: 513 > r!(I + 512)%(513)|))
(assert (! (= (+ 26 (ite (<= 513 (+ I (* (- 513) i0))) 513 (+ I (* (- 513) i0)))) (+ (* 27 |q!(IMin(513, I - 513*i0) + 26)//(27)|) |r!(IMin(513, I - 513*i0) + 26)%(27)|)) :named |22: 26 + if(513 <= I - 513*i0, 513, I - 513*i0) = 27*q!(IMin(513, I - 513*i0) + 26)//(27) + r!(IM...|))
(assert (! (>= |r!(IMin(513, I - 513*i0) + 26)%(27)| 0) :named |23: r!(IMin(513, I - 513*i0) + 26)%(27) >= 0|))
(assert (! (> 27 |r!(IMin(513, I - 513*i0) + 26)%(27)|) :named |24: 27 > r!(IMin(513, I - 513*i0) + 26)%(27)|))
(assert (! (= (+ 8 (ite (<= 27 (+ I (* (- 513) i0) (* (- 27) i1))) 27 (+ I (* (- 513) i0) (* (- 27) i1)))) (+ (* 9 |q!(IMin(27, I - 513*i0 - 27*i1) + 8)//(9)|) |r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9)|)) :named |25: 8 + if(27 <= I - 513*i0 - 27*i1, 27, I - 513*i0 - 27*i1) = 9*q!(IMin(27, I - 513*i0 - 27*i1) ...|))
(assert (! (>= |r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9)| 0) :named |26: r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9) >= 0|))
(assert (! (> 9 |r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9)|) :named |27: 9 > r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9)|))
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
(declare-fun k0 () Int)
(declare-fun |q!(K + 1023)//(1024)| () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 512)//(513)| () Int)
(declare-fun i1 () Int)
(declare-fun |q!(IMin(513, I - 513*i0) + 26)//(27)| () Int)
(declare-fun i2 () Int)
(declare-fun |q!(IMin(27, I - 513*i0 - 27*i1) + 8)//(9)| () Int)
(declare-fun k1 () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(declare-fun |r!(I + 512)%(513)| () Int)
(declare-fun |r!(IMin(513, I - 513*i0) + 26)%(27)| () Int)
(declare-fun |r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 k0) :named |3: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |4: k0 < q!(K + 1023)//(1024)|))
(assert (! (<= 0 i0) :named |5: 0 <= i0|))
(assert (! (< i0 |q!(I + 512)//(513)|) :named |6: i0 < q!(I + 512)//(513)|))
(assert (! (<= 0 i1) :named |7: 0 <= i1|))
(assert (! (< i1 |q!(IMin(513, I - 513*i0) + 26)//(27)|) :named |8: i1 < q!(IMin(513, I - 513*i0) + 26)//(27)|))
(assert (! (<= 0 i2) :named |9: 0 <= i2|))
(assert (! (< i2 |q!(IMin(27, I - 513*i0 - 27*i1) + 8)//(9)|) :named |10: i2 < q!(IMin(27, I - 513*i0 - 27*i1) + 8)//(9)|))
(assert (! (<= 0 k1) :named |11: 0 <= k1|))
(assert (! (< k1 (ite (<= 1024 (+ K (* (- 1024) k0))) 1024 (+ K (* (- 1024) k0)))) :named |12: k1 < if(1024 <= K - 1024*k0, 1024, K - 1024*k0)|))
(assert (! true :named |13: true|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |14: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |15: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |16: 1024 > r!(K + 1023)%(1024)|))
(assert (! (= (+ 512 I) (+ (* 513 |q!(I + 512)//(513)|) |r!(I + 512)%(513)|)) :named |17: 512 + I = 513*q!(I + 512)//(513) + r!(I + 512)%(513)|))
(assert (! (>= |r!(I + 512)%(513)| 0) :named |18: r!(I + 512)%(513) >= 0|))
(assert (! (> 513 |r!(I + 512)%(513)|) :named |19: 513 > r!(I + 512)%(513)|))
(assert (! (= (+ 26 (ite (<= 513 (+ I (* (- 513) i0))) 513 (+ I (* (- 513) i0)))) (+ (* 27 |q!(IMin(513, I - 513*i0) + 26)//(27)|) |r!(IMin(513, I - 513*i0) + 26)%(27)|)) :named |20: 26 + if(513 <= I - 513*i0, 513, I - 513*i0) = 27*q!(IMin(513, I - 513*i0) + 26)//(27) + r!(IM...|))
(assert (! (>= |r!(IMin(513, I - 513*i0) + 26)%(27)| 0) :named |21: r!(IMin(513, I - 513*i0) + 26)%(27) >= 0|))
(assert (! (> 27 |r!(IMin(513, I - 513*i0) + 26)%(27)|) :named |22: 27 > r!(IMin(513, I - 513*i0) + 26)%(27)|))
(assert (! (= (+ 8 (ite (<= 27 (+ I (* (- 513) i0) (* (- 27) i1))) 27 (+ I (* (- 513) i0) (* (- 27) i1)))) (+ (* 9 |q!(IMin(27, I - 513*i0 - 27*i1) + 8)//(9)|) |r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9)|)) :named |23: 8 + if(27 <= I - 513*i0 - 27*i1, 27, I - 513*i0 - 27*i1) = 9*q!(IMin(27, I - 513*i0 - 27*i1) ...|))
(assert (! (>= |r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9)| 0) :named |24: r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9) >= 0|))
(assert (! (> 9 |r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9)|) :named |25: 9 > r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9)|))
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
(declare-fun k0 () Int)
(declare-fun |q!(K + 1023)//(1024)| () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 512)//(513)| () Int)
(declare-fun i1 () Int)
(declare-fun |q!(IMin(513, I - 513*i0) + 26)//(27)| () Int)
(declare-fun i2 () Int)
(declare-fun |q!(IMin(27, I - 513*i0 - 27*i1) + 8)//(9)| () Int)
(declare-fun k1 () Int)
(declare-fun i_u () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(declare-fun |r!(I + 512)%(513)| () Int)
(declare-fun |r!(IMin(513, I - 513*i0) + 26)%(27)| () Int)
(declare-fun |r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 k0) :named |3: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |4: k0 < q!(K + 1023)//(1024)|))
(assert (! (<= 0 i0) :named |5: 0 <= i0|))
(assert (! (< i0 |q!(I + 512)//(513)|) :named |6: i0 < q!(I + 512)//(513)|))
(assert (! (<= 0 i1) :named |7: 0 <= i1|))
(assert (! (< i1 |q!(IMin(513, I - 513*i0) + 26)//(27)|) :named |8: i1 < q!(IMin(513, I - 513*i0) + 26)//(27)|))
(assert (! (<= 0 i2) :named |9: 0 <= i2|))
(assert (! (< i2 |q!(IMin(27, I - 513*i0 - 27*i1) + 8)//(9)|) :named |10: i2 < q!(IMin(27, I - 513*i0 - 27*i1) + 8)//(9)|))
(assert (! (<= 0 k1) :named |11: 0 <= k1|))
(assert (! (< k1 (ite (<= 1024 (+ K (* (- 1024) k0))) 1024 (+ K (* (- 1024) k0)))) :named |12: k1 < if(1024 <= K - 1024*k0, 1024, K - 1024*k0)|))
(assert (! (<= 0 i_u) :named |13: 0 <= i_u|))
(assert (! (> 9 i_u) :named |14: 9 > i_u|))
(assert (! true :named |15: true|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |16: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |17: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |18: 1024 > r!(K + 1023)%(1024)|))
(assert (! (= (+ 512 I) (+ (* 513 |q!(I + 512)//(513)|) |r!(I + 512)%(513)|)) :named |19: 512 + I = 513*q!(I + 512)//(513) + r!(I + 512)%(513)|))
(assert (! (>= |r!(I + 512)%(513)| 0) :named |20: r!(I + 512)%(513) >= 0|))
(assert (! (> 513 |r!(I + 512)%(513)|) :named |21: 513 > r!(I + 512)%(513)|))
(assert (! (= (+ 26 (ite (<= 513 (+ I (* (- 513) i0))) 513 (+ I (* (- 513) i0)))) (+ (* 27 |q!(IMin(513, I - 513*i0) + 26)//(27)|) |r!(IMin(513, I - 513*i0) + 26)%(27)|)) :named |22: 26 + if(513 <= I - 513*i0, 513, I - 513*i0) = 27*q!(IMin(513, I - 513*i0) + 26)//(27) + r!(IM...|))
(assert (! (>= |r!(IMin(513, I - 513*i0) + 26)%(27)| 0) :named |23: r!(IMin(513, I - 513*i0) + 26)%(27) >= 0|))
(assert (! (> 27 |r!(IMin(513, I - 513*i0) + 26)%(27)|) :named |24: 27 > r!(IMin(513, I - 513*i0) + 26)%(27)|))
(assert (! (= (+ 8 (ite (<= 27 (+ I (* (- 513) i0) (* (- 27) i1))) 27 (+ I (* (- 513) i0) (* (- 27) i1)))) (+ (* 9 |q!(IMin(27, I - 513*i0 - 27*i1) + 8)//(9)|) |r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9)|)) :named |25: 8 + if(27 <= I - 513*i0 - 27*i1, 27, I - 513*i0 - 27*i1) = 9*q!(IMin(27, I - 513*i0 - 27*i1) ...|))
(assert (! (>= |r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9)| 0) :named |26: r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9) >= 0|))
(assert (! (> 9 |r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9)|) :named |27: 9 > r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9)|))
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
(declare-fun |q!(I + 512)//(513)| () Int)
(declare-fun i1 () Int)
(declare-fun |q!(IMin(513, I - 513*i0) + 26)//(27)| () Int)
(declare-fun i2 () Int)
(declare-fun |q!(IMin(27, I - 513*i0 - 27*i1) + 8)//(9)| () Int)
(declare-fun i_us () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(declare-fun |r!(I + 512)%(513)| () Int)
(declare-fun |r!(IMin(513, I - 513*i0) + 26)%(27)| () Int)
(declare-fun |r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 k0) :named |3: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |4: k0 < q!(K + 1023)//(1024)|))
(assert (! (<= 0 i0) :named |5: 0 <= i0|))
(assert (! (< i0 |q!(I + 512)//(513)|) :named |6: i0 < q!(I + 512)//(513)|))
(assert (! (<= 0 i1) :named |7: 0 <= i1|))
(assert (! (< i1 |q!(IMin(513, I - 513*i0) + 26)//(27)|) :named |8: i1 < q!(IMin(513, I - 513*i0) + 26)//(27)|))
(assert (! (<= 0 i2) :named |9: 0 <= i2|))
(assert (! (< i2 |q!(IMin(27, I - 513*i0 - 27*i1) + 8)//(9)|) :named |10: i2 < q!(IMin(27, I - 513*i0 - 27*i1) + 8)//(9)|))
(assert (! (<= 0 (+ (- 9) I (* (- 513) i0) (* (- 27) i1) (* (- 9) i2))) :named |11: 0 <= -9 + I - 513*i0 - 27*i1 - 9*i2|))
(assert (! (<= 0 i_us) :named |12: 0 <= i_us|))
(assert (! (> 9 i_us) :named |13: 9 > i_us|))
(assert (! true :named |14: true|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |15: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |16: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |17: 1024 > r!(K + 1023)%(1024)|))
(assert (! (= (+ 512 I) (+ (* 513 |q!(I + 512)//(513)|) |r!(I + 512)%(513)|)) :named |18: 512 + I = 513*q!(I + 512)//(513) + r!(I + 512)%(513)|))
(assert (! (>= |r!(I + 512)%(513)| 0) :named |19: r!(I + 512)%(513) >= 0|))
(assert (! (> 513 |r!(I + 512)%(513)|) :named |20: 513 > r!(I + 512)%(513)|))
(assert (! (= (+ 26 (ite (<= 513 (+ I (* (- 513) i0))) 513 (+ I (* (- 513) i0)))) (+ (* 27 |q!(IMin(513, I - 513*i0) + 26)//(27)|) |r!(IMin(513, I - 513*i0) + 26)%(27)|)) :named |21: 26 + if(513 <= I - 513*i0, 513, I - 513*i0) = 27*q!(IMin(513, I - 513*i0) + 26)//(27) + r!(IM...|))
(assert (! (>= |r!(IMin(513, I - 513*i0) + 26)%(27)| 0) :named |22: r!(IMin(513, I - 513*i0) + 26)%(27) >= 0|))
(assert (! (> 27 |r!(IMin(513, I - 513*i0) + 26)%(27)|) :named |23: 27 > r!(IMin(513, I - 513*i0) + 26)%(27)|))
(assert (! (= (+ 8 (ite (<= 27 (+ I (* (- 513) i0) (* (- 27) i1))) 27 (+ I (* (- 513) i0) (* (- 27) i1)))) (+ (* 9 |q!(IMin(27, I - 513*i0 - 27*i1) + 8)//(9)|) |r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9)|)) :named |24: 8 + if(27 <= I - 513*i0 - 27*i1, 27, I - 513*i0 - 27*i1) = 9*q!(IMin(27, I - 513*i0 - 27*i1) ...|))
(assert (! (>= |r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9)| 0) :named |25: r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9) >= 0|))
(assert (! (> 9 |r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9)|) :named |26: 9 > r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9)|))
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
(declare-fun k0 () Int)
(declare-fun |q!(K + 1023)//(1024)| () Int)
(declare-fun i0 () Int)
(declare-fun |q!(I + 512)//(513)| () Int)
(declare-fun i1 () Int)
(declare-fun |q!(IMin(513, I - 513*i0) + 26)//(27)| () Int)
(declare-fun i2 () Int)
(declare-fun |q!(IMin(27, I - 513*i0 - 27*i1) + 8)//(9)| () Int)
(declare-fun i_us () Int)
(declare-fun |r!(K + 1023)%(1024)| () Int)
(declare-fun |r!(I + 512)%(513)| () Int)
(declare-fun |r!(IMin(513, I - 513*i0) + 26)%(27)| () Int)
(declare-fun |r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 1 K) :named |2: 1 <= K|))
(assert (! (<= 0 k0) :named |3: 0 <= k0|))
(assert (! (< k0 |q!(K + 1023)//(1024)|) :named |4: k0 < q!(K + 1023)//(1024)|))
(assert (! (<= 0 i0) :named |5: 0 <= i0|))
(assert (! (< i0 |q!(I + 512)//(513)|) :named |6: i0 < q!(I + 512)//(513)|))
(assert (! (<= 0 i1) :named |7: 0 <= i1|))
(assert (! (< i1 |q!(IMin(513, I - 513*i0) + 26)//(27)|) :named |8: i1 < q!(IMin(513, I - 513*i0) + 26)//(27)|))
(assert (! (<= 0 i2) :named |9: 0 <= i2|))
(assert (! (< i2 |q!(IMin(27, I - 513*i0 - 27*i1) + 8)//(9)|) :named |10: i2 < q!(IMin(27, I - 513*i0 - 27*i1) + 8)//(9)|))
(assert (! (> 0 (+ (- 9) I (* (- 513) i0) (* (- 27) i1) (* (- 9) i2))) :named |11: 0 > -9 + I - 513*i0 - 27*i1 - 9*i2|))
(assert (! (<= 0 i_us) :named |12: 0 <= i_us|))
(assert (! (> 9 i_us) :named |13: 9 > i_us|))
(assert (! (< (+ i_us (* 9 i2) (* 27 i1) (* 513 i0)) I) :named |14: i_us + 9*i2 + 27*i1 + 513*i0 < I|))
(assert (! true :named |15: true|))
(assert (! (= (+ 1023 K) (+ (* 1024 |q!(K + 1023)//(1024)|) |r!(K + 1023)%(1024)|)) :named |16: 1023 + K = 1024*q!(K + 1023)//(1024) + r!(K + 1023)%(1024)|))
(assert (! (>= |r!(K + 1023)%(1024)| 0) :named |17: r!(K + 1023)%(1024) >= 0|))
(assert (! (> 1024 |r!(K + 1023)%(1024)|) :named |18: 1024 > r!(K + 1023)%(1024)|))
(assert (! (= (+ 512 I) (+ (* 513 |q!(I + 512)//(513)|) |r!(I + 512)%(513)|)) :named |19: 512 + I = 513*q!(I + 512)//(513) + r!(I + 512)%(513)|))
(assert (! (>= |r!(I + 512)%(513)| 0) :named |20: r!(I + 512)%(513) >= 0|))
(assert (! (> 513 |r!(I + 512)%(513)|) :named |21: 513 > r!(I + 512)%(513)|))
(assert (! (= (+ 26 (ite (<= 513 (+ I (* (- 513) i0))) 513 (+ I (* (- 513) i0)))) (+ (* 27 |q!(IMin(513, I - 513*i0) + 26)//(27)|) |r!(IMin(513, I - 513*i0) + 26)%(27)|)) :named |22: 26 + if(513 <= I - 513*i0, 513, I - 513*i0) = 27*q!(IMin(513, I - 513*i0) + 26)//(27) + r!(IM...|))
(assert (! (>= |r!(IMin(513, I - 513*i0) + 26)%(27)| 0) :named |23: r!(IMin(513, I - 513*i0) + 26)%(27) >= 0|))
(assert (! (> 27 |r!(IMin(513, I - 513*i0) + 26)%(27)|) :named |24: 27 > r!(IMin(513, I - 513*i0) + 26)%(27)|))
(assert (! (= (+ 8 (ite (<= 27 (+ I (* (- 513) i0) (* (- 27) i1))) 27 (+ I (* (- 513) i0) (* (- 27) i1)))) (+ (* 9 |q!(IMin(27, I - 513*i0 - 27*i1) + 8)//(9)|) |r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9)|)) :named |25: 8 + if(27 <= I - 513*i0 - 27*i1, 27, I - 513*i0 - 27*i1) = 9*q!(IMin(27, I - 513*i0 - 27*i1) ...|))
(assert (! (>= |r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9)| 0) :named |26: r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9) >= 0|))
(assert (! (> 9 |r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9)|) :named |27: 9 > r!(IMin(27, I - 513*i0 - 27*i1) + 8)%(9)|))
(assert (! (not (= 0 0)) :named |denied: 0 = 0|))
(check-sat)
(pop 1)
