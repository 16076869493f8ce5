(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_softmax/selected,split-n-64-16,split-n-64-16,l=n_part,x0=x,at,i=4,n=64,within,x=-4..4
; claim: begun
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; begun of e: every element e[i,n_part_ + 16*n_step_] that statement 4 reads was begun before
;   decided without a solver, from the structure alone

; begun of e: every element e[i,n] that statement 7 reads was begun before
;   decided without a solver, from the structure alone

; begun of share: every element share[i] that statement 7 reads was begun before
;   decided without a solver, from the structure alone

; begun of y: every element of the result y is begun
;   decided without a solver, from the structure alone

; begun of top_sums: every element top_sums[i,0] that statement 2 reads was begun before
;   decided without a solver, from the structure alone

; begun of top_sums: every element top_sums[i,8] that statement 2 reads was begun before
;   decided without a solver, from the structure alone

; begun of top_sums: every element top_sums[i,4] that statement 2 reads was begun before
;   decided without a solver, from the structure alone

; begun of top_sums: every element top_sums[i,12] that statement 2 reads was begun before
;   decided without a solver, from the structure alone

; begun of top_sums: every element top_sums[i,2] that statement 2 reads was begun before
;   decided without a solver, from the structure alone

; begun of top_sums: every element top_sums[i,10] that statement 2 reads was begun before
;   decided without a solver, from the structure alone

; begun of top_sums: every element top_sums[i,6] that statement 2 reads was begun before
;   decided without a solver, from the structure alone

; begun of top_sums: every element top_sums[i,14] that statement 2 reads was begun before
;   decided without a solver, from the structure alone

; begun of top_sums: every element top_sums[i,1] that statement 2 reads was begun before
;   decided without a solver, from the structure alone

; begun of top_sums: every element top_sums[i,9] that statement 2 reads was begun before
;   decided without a solver, from the structure alone

; begun of top_sums: every element top_sums[i,5] that statement 2 reads was begun before
;   decided without a solver, from the structure alone

; begun of top_sums: every element top_sums[i,13] that statement 2 reads was begun before
;   decided without a solver, from the structure alone

; begun of top_sums: every element top_sums[i,3] that statement 2 reads was begun before
;   decided without a solver, from the structure alone

; begun of top_sums: every element top_sums[i,11] that statement 2 reads was begun before
;   decided without a solver, from the structure alone

; begun of top_sums: every element top_sums[i,7] that statement 2 reads was begun before
;   decided without a solver, from the structure alone

; begun of top_sums: every element top_sums[i,15] that statement 2 reads was begun before
;   decided without a solver, from the structure alone

; begun of total_sums: every element total_sums[i,0] that statement 5 reads was begun before
;   decided without a solver, from the structure alone

; begun of total_sums: every element total_sums[i,8] that statement 5 reads was begun before
;   decided without a solver, from the structure alone

; begun of total_sums: every element total_sums[i,4] that statement 5 reads was begun before
;   decided without a solver, from the structure alone

; begun of total_sums: every element total_sums[i,12] that statement 5 reads was begun before
;   decided without a solver, from the structure alone

; begun of total_sums: every element total_sums[i,2] that statement 5 reads was begun before
;   decided without a solver, from the structure alone

; begun of total_sums: every element total_sums[i,10] that statement 5 reads was begun before
;   decided without a solver, from the structure alone

; begun of total_sums: every element total_sums[i,6] that statement 5 reads was begun before
;   decided without a solver, from the structure alone

; begun of total_sums: every element total_sums[i,14] that statement 5 reads was begun before
;   decided without a solver, from the structure alone

; begun of total_sums: every element total_sums[i,1] that statement 5 reads was begun before
;   decided without a solver, from the structure alone

; begun of total_sums: every element total_sums[i,9] that statement 5 reads was begun before
;   decided without a solver, from the structure alone

; begun of total_sums: every element total_sums[i,5] that statement 5 reads was begun before
;   decided without a solver, from the structure alone

; begun of total_sums: every element total_sums[i,13] that statement 5 reads was begun before
;   decided without a solver, from the structure alone

; begun of total_sums: every element total_sums[i,3] that statement 5 reads was begun before
;   decided without a solver, from the structure alone

; begun of total_sums: every element total_sums[i,11] that statement 5 reads was begun before
;   decided without a solver, from the structure alone

; begun of total_sums: every element total_sums[i,7] that statement 5 reads was begun before
;   decided without a solver, from the structure alone

; begun of total_sums: every element total_sums[i,15] that statement 5 reads was begun before
;   decided without a solver, from the structure alone
