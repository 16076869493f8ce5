(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/bounded_attention/fmadd_ps,split-k-64-16,split-k-64-16,l=k,a=Q,b=K,at,d=32,h=1,k=64,q=8,within,K=-1..1,Q=-1..1,V=-1..1,z=0.125..0.25
; claim: begun
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; begun of E: every element E[h,q,k_part_ + 16*k_step_] that statement 5 reads was begun before
;   decided without a solver, from the structure alone

; begun of E: every element E[h,q,k] that statement 7 reads was begun before
;   decided without a solver, from the structure alone

; begun of Y: every element of the result Y is begun
;   decided without a solver, from the structure alone

; begun of S: every element S[h,q,k_part + 16*k_step] that statement 2 reads was begun before
;   decided without a solver, from the structure alone

; begun of S: every element S[h,q,k] that statement 4 reads was begun before
;   decided without a solver, from the structure alone

; begun of M_sums: every element M_sums[h,q,0] that statement 3 reads was begun before
;   decided without a solver, from the structure alone

; begun of M_sums: every element M_sums[h,q,8] that statement 3 reads was begun before
;   decided without a solver, from the structure alone

; begun of M_sums: every element M_sums[h,q,4] that statement 3 reads was begun before
;   decided without a solver, from the structure alone

; begun of M_sums: every element M_sums[h,q,12] that statement 3 reads was begun before
;   decided without a solver, from the structure alone

; begun of M_sums: every element M_sums[h,q,2] that statement 3 reads was begun before
;   decided without a solver, from the structure alone

; begun of M_sums: every element M_sums[h,q,10] that statement 3 reads was begun before
;   decided without a solver, from the structure alone

; begun of M_sums: every element M_sums[h,q,6] that statement 3 reads was begun before
;   decided without a solver, from the structure alone

; begun of M_sums: every element M_sums[h,q,14] that statement 3 reads was begun before
;   decided without a solver, from the structure alone

; begun of M_sums: every element M_sums[h,q,1] that statement 3 reads was begun before
;   decided without a solver, from the structure alone

; begun of M_sums: every element M_sums[h,q,9] that statement 3 reads was begun before
;   decided without a solver, from the structure alone

; begun of M_sums: every element M_sums[h,q,5] that statement 3 reads was begun before
;   decided without a solver, from the structure alone

; begun of M_sums: every element M_sums[h,q,13] that statement 3 reads was begun before
;   decided without a solver, from the structure alone

; begun of M_sums: every element M_sums[h,q,3] that statement 3 reads was begun before
;   decided without a solver, from the structure alone

; begun of M_sums: every element M_sums[h,q,11] that statement 3 reads was begun before
;   decided without a solver, from the structure alone

; begun of M_sums: every element M_sums[h,q,7] that statement 3 reads was begun before
;   decided without a solver, from the structure alone

; begun of M_sums: every element M_sums[h,q,15] that statement 3 reads was begun before
;   decided without a solver, from the structure alone

; begun of D_sums: every element D_sums[h,q,0] that statement 6 reads was begun before
;   decided without a solver, from the structure alone

; begun of D_sums: every element D_sums[h,q,8] that statement 6 reads was begun before
;   decided without a solver, from the structure alone

; begun of D_sums: every element D_sums[h,q,4] that statement 6 reads was begun before
;   decided without a solver, from the structure alone

; begun of D_sums: every element D_sums[h,q,12] that statement 6 reads was begun before
;   decided without a solver, from the structure alone

; begun of D_sums: every element D_sums[h,q,2] that statement 6 reads was begun before
;   decided without a solver, from the structure alone

; begun of D_sums: every element D_sums[h,q,10] that statement 6 reads was begun before
;   decided without a solver, from the structure alone

; begun of D_sums: every element D_sums[h,q,6] that statement 6 reads was begun before
;   decided without a solver, from the structure alone

; begun of D_sums: every element D_sums[h,q,14] that statement 6 reads was begun before
;   decided without a solver, from the structure alone

; begun of D_sums: every element D_sums[h,q,1] that statement 6 reads was begun before
;   decided without a solver, from the structure alone

; begun of D_sums: every element D_sums[h,q,9] that statement 6 reads was begun before
;   decided without a solver, from the structure alone

; begun of D_sums: every element D_sums[h,q,5] that statement 6 reads was begun before
;   decided without a solver, from the structure alone

; begun of D_sums: every element D_sums[h,q,13] that statement 6 reads was begun before
;   decided without a solver, from the structure alone

; begun of D_sums: every element D_sums[h,q,3] that statement 6 reads was begun before
;   decided without a solver, from the structure alone

; begun of D_sums: every element D_sums[h,q,11] that statement 6 reads was begun before
;   decided without a solver, from the structure alone

; begun of D_sums: every element D_sums[h,q,7] that statement 6 reads was begun before
;   decided without a solver, from the structure alone

; begun of D_sums: every element D_sums[h,q,15] that statement 6 reads was begun before
;   decided without a solver, from the structure alone

; begun of O: every element O[h,q,d] that statement 8 reads was begun before
;   decided without a solver, from the structure alone
