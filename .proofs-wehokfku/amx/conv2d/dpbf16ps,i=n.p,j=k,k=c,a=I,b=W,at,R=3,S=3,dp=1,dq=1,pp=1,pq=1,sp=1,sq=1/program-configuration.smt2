(set-info :smt-lib-version 2.6)
(set-logic ALL)
; amx/conv2d/dpbf16ps,i=n.p,j=k,k=c,a=I,b=W,at,R=3,S=3,dp=1,dq=1,pp=1,pq=1,sp=1,sq=1
; claim: configuration
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; configuration of acc: its registers have numbers of tmm that no other buffer has while it lives
;   decided without a solver, from the structure alone

; configuration of a_r: its registers have numbers of tmm that no other buffer has while it lives
;   decided without a solver, from the structure alone

; configuration of b_r: its registers have numbers of tmm that no other buffer has while it lives
;   decided without a solver, from the structure alone

; configuration of ldtilecfg: it writes 64 bytes
;   decided without a solver, from the structure alone

; configuration of load_f32 r: its registers are its thread's, and no state was written since they were declared
;   decided without a solver, from the structure alone

; configuration of load_f32: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of load_f32 r: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of masked_load_f32 r: its registers are its thread's, and no state was written since they were declared
;   decided without a solver, from the structure alone

; configuration of masked_load_f32: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of masked_load_f32 r: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of load_rows_bf16 r: its registers are its thread's, and no state was written since they were declared
;   decided without a solver, from the structure alone

; configuration of load_rows_bf16: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of load_rows_bf16 r: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of load_groups_bf16 r: its registers are its thread's, and no state was written since they were
;   declared
;   decided without a solver, from the structure alone

; configuration of load_groups_bf16: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of load_groups_bf16 r: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of dpbf16ps a: its registers are its thread's, and no state was written since they were declared
;   decided without a solver, from the structure alone

; configuration of dpbf16ps: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of dpbf16ps a: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of dpbf16ps b: its registers are its thread's, and no state was written since they were declared
;   decided without a solver, from the structure alone

; configuration of dpbf16ps b: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of dpbf16ps c: its registers are its thread's, and no state was written since they were declared
;   decided without a solver, from the structure alone

; configuration of dpbf16ps c: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of store_f32 r: its registers are its thread's, and no state was written since they were declared
;   decided without a solver, from the structure alone

; configuration of store_f32: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of store_f32 r: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of masked_store_f32 r: its registers are its thread's, and no state was written since they were
;   declared
;   decided without a solver, from the structure alone

; configuration of masked_store_f32: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of masked_store_f32 r: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of tilerelease: it writes 0 into 64 bytes
;   decided without a solver, from the structure alone

; configuration of the call: it leaves 0 in every cell of tilecfg
;   decided without a solver, from the structure alone
