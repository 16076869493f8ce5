(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_layer_norm/selected,split-n-64-16,split-n-64-16,l=n_part,x0=x,at,i=4,n=64,within,b=-1..1,g=0.5..2,x=-4..4
; claim: link
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; link of statements: all other statements are as they were, and the pieces are in the place of the sum
;   decided without a solver, from the structure alone

; link of tensors: the tensors are those of the whole and the temporary s_sums
;   decided without a solver, from the structure alone

; link of recurrences: the recurrences hold the same statements, and not the sum
;   decided without a solver, from the structure alone

; link of closing: the closing statement adds to every output of the sum
;   decided without a solver, from the structure alone

; link of before: it is the kernel that was left before
;   decided without a solver, from the structure alone

; link of statements: all other statements are as they were, and the pieces are in the place of the sum
;   decided without a solver, from the structure alone

; link of tensors: the tensors are those of the whole and the temporary q_sums
;   decided without a solver, from the structure alone

; link of recurrences: the recurrences hold the same statements, and not the sum
;   decided without a solver, from the structure alone

; link of closing: the closing statement adds to every output of the sum
;   decided without a solver, from the structure alone
