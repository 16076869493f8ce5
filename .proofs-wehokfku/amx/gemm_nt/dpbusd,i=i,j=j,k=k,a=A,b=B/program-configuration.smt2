(set-info :smt-lib-version 2.6)
(set-logic ALL)
; amx/gemm_nt/dpbusd,i=i,j=j,k=k,a=A,b=B
; claim: configuration
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; configuration of acc: its registers have numbers of tmm that no other buffer has while it lives
;   decided without a solver, from the structure alone

; configuration of b_r: its registers have numbers of tmm that no other buffer has while it lives
;   decided without a solver, from the structure alone

; configuration of a_r: its registers have numbers of tmm that no other buffer has while it lives
;   decided without a solver, from the structure alone

; configuration of ldtilecfg: it writes 64 bytes
;   decided without a solver, from the structure alone

; configuration of zero_i32 r: its registers are its thread's, and no state was written since they were declared
;   decided without a solver, from the structure alone

; configuration of zero_i32: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of zero_i32 r: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of load_i32 r: its registers are its thread's, and no state was written since they were declared
;   decided without a solver, from the structure alone

; configuration of load_i32: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of load_i32 r: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of masked_load_i32 r: its registers are its thread's, and no state was written since they were declared
;   decided without a solver, from the structure alone

; configuration of masked_load_i32: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of masked_load_i32 r: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of load_groups_i8 r: its registers are its thread's, and no state was written since they were declared
;   decided without a solver, from the structure alone

; configuration of load_groups_i8: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of load_groups_i8 r: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of load_rows_u8 r: its registers are its thread's, and no state was written since they were declared
;   decided without a solver, from the structure alone

; configuration of load_rows_u8: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of load_rows_u8 r: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of dpbusd a: its registers are its thread's, and no state was written since they were declared
;   decided without a solver, from the structure alone

; configuration of dpbusd: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of dpbusd a: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of dpbusd b: its registers are its thread's, and no state was written since they were declared
;   decided without a solver, from the structure alone

; configuration of dpbusd b: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of dpbusd c: its registers are its thread's, and no state was written since they were declared
;   decided without a solver, from the structure alone

; configuration of dpbusd c: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of store_i32 r: its registers are its thread's, and no state was written since they were declared
;   decided without a solver, from the structure alone

; configuration of store_i32: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of store_i32 r: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of masked_store_i32 r: its registers are its thread's, and no state was written since they were
;   declared
;   decided without a solver, from the structure alone

; configuration of masked_store_i32: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of masked_store_i32 r: the cells of tilecfg that it needs hold wherever it runs
;   decided without a solver, from the structure alone

; configuration of tilerelease: it writes 0 into 64 bytes
;   decided without a solver, from the structure alone

; configuration of the call: it leaves 0 in every cell of tilecfg
;   decided without a solver, from the structure alone
