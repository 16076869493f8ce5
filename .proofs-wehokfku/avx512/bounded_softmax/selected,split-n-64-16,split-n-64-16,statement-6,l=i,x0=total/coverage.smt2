(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_softmax/selected,split-n-64-16,split-n-64-16,statement-6,l=i,x0=total
; claim: coverage
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; coverage of l: every point of the kernel's domain is computed by exactly one lane of one execution
; question 1: split lemma 16
(push 1)
(set-info :status unsat)
(declare-fun F () Int)
(declare-fun O () Int)
(declare-fun d () Int)
(declare-fun A () Int)
(declare-fun C () Int)
(assert (! (= F (+ (* 16 O) d)) :named |1: F = 16*O + d|))
(assert (! (>= d 0) :named |2: d >= 0|))
(assert (! (< d 16) :named |3: d < 16|))
(assert (! (>= A 1) :named |4: A >= 1|))
(assert (! (>= (* 16 C) A) :named |5: 16*C >= A|))
(assert (! (< (* 16 C) (+ A 16)) :named |6: 16*C < A + 16|))
(assert (! (not (and (=> (and (>= F 0) (< F A)) (and (>= O 0) (< O C))) (=> (and (>= O 0) (< O C) (< F A)) (and (>= F 0) (< F A))))) :named |denied: (F >= 0 and F < A implies O >= 0 and O < C) and (O >= 0 and O < C and F < A implies F >= 0 an...|))
(check-sat)
(pop 1)
; question 2: ceil lemma 16
(push 1)
(set-info :status unsat)
(declare-fun A () Int)
(declare-fun C () Int)
(declare-fun d () Int)
(assert (! (= (- (+ A 16) 1) (+ (* 16 C) d)) :named |1: A + 16 - 1 = 16*C + d|))
(assert (! (>= d 0) :named |2: d >= 0|))
(assert (! (< d 16) :named |3: d < 16|))
(assert (! (not (and (<= A (* 16 C)) (< (* 16 C) (+ A 16)))) :named |denied: A <= 16*C and 16*C < A + 16|))
(check-sat)
(pop 1)
; question 3: extent
(push 1)
(set-info :status unsat)
(declare-fun I () Int)
(assert (! (<= 1 I) :named |1: 1 <= I|))
(assert (! (not (<= 1 I)) :named |denied: 1 <= I|))
(check-sat)
(pop 1)
