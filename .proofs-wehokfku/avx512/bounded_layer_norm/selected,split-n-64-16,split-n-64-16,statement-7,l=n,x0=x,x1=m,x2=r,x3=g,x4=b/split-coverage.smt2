(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_layer_norm/selected,split-n-64-16,split-n-64-16,statement-7,l=n,x0=x,x1=m,x2=r,x3=g,x4=b
; claim: coverage
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; coverage of s_sums: each of the 16 partial sums is added once
;   decided without a solver, from the structure alone

; coverage: every point of the sum is in a piece
; question 1
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun i () Int)
(declare-fun n () Int)
(declare-fun |q!(n)//(16)| () Int)
(declare-fun |r!(n)%(16)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 0 i) :named |2: 0 <= i|))
(assert (! (< i I) :named |3: i < I|))
(assert (! (<= 0 n) :named |4: 0 <= n|))
(assert (! (> 64 n) :named |5: 64 > n|))
(assert (! (= n (+ (* 16 |q!(n)//(16)|) |r!(n)%(16)|)) :named |6: n = 16*q!(n)//(16) + r!(n)%(16)|))
(assert (! (>= |r!(n)%(16)| 0) :named |7: r!(n)%(16) >= 0|))
(assert (! (> 16 |r!(n)%(16)|) :named |8: 16 > r!(n)%(16)|))
(assert (! (not (and (and (<= 0 i) (< i I) (<= 0 |r!(n)%(16)|) (> 16 |r!(n)%(16)|) (<= 0 |q!(n)//(16)|) (> 4 |q!(n)//(16)|)) (= i i) (= n (+ (* 16 |q!(n)//(16)|) |r!(n)%(16)|)))) :named |denied: 0 <= i and i < I and 0 <= r!(n)%(16) and 16 > r!(n)%(16) and 0 <= q!(n)//(16) and 4 > q!(n)//...|))
(check-sat)
(pop 1)

; coverage of q_sums: each of the 16 partial sums is added once
;   decided without a solver, from the structure alone

; coverage: every point of the sum is in a piece
; question 2
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(declare-fun i () Int)
(declare-fun n () Int)
(declare-fun |q!(n)//(16)| () Int)
(declare-fun |r!(n)%(16)| () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (<= 0 i) :named |2: 0 <= i|))
(assert (! (< i I) :named |3: i < I|))
(assert (! (<= 0 n) :named |4: 0 <= n|))
(assert (! (> 64 n) :named |5: 64 > n|))
(assert (! (= n (+ (* 16 |q!(n)//(16)|) |r!(n)%(16)|)) :named |6: n = 16*q!(n)//(16) + r!(n)%(16)|))
(assert (! (>= |r!(n)%(16)| 0) :named |7: r!(n)%(16) >= 0|))
(assert (! (> 16 |r!(n)%(16)|) :named |8: 16 > r!(n)%(16)|))
(assert (! (not (and (and (<= 0 i) (< i I) (<= 0 |r!(n)%(16)|) (> 16 |r!(n)%(16)|) (<= 0 |q!(n)//(16)|) (> 4 |q!(n)//(16)|)) (= i i) (= n (+ (* 16 |q!(n)//(16)|) |r!(n)%(16)|)))) :named |denied: 0 <= i and i < I and 0 <= r!(n)%(16) and 16 > r!(n)%(16) and 0 <= q!(n)//(16) and 4 > q!(n)//...|))
(check-sat)
(pop 1)
