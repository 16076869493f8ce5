(set-info :smt-lib-version 2.6)
(set-logic ALL)
; avx512/lstm/fmadd_ps,l=g.j,a=X,b=W
; claim: memory
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; memory of acc: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of b_r: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of a_r: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of U_packed_2: the buffer's shape depends on sizes only
;   decided without a solver, from the structure alone

; memory of acc_2: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of b_r_2: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of a_r_2: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of b_r: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of a_r: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of a_r: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of b_r: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_2: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of b_r_2: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of a_r_2: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of a_r_2: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of b_r_2: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_2: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_2: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_2: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_2: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc_2: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of t_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of b_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of g_j_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of g_j_ub: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of b_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of t_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of g_j_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of t_ua: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of b_ua: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of g_j_ua: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of t_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of b_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of g_j_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of b_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of b_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of b_ua: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of b_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory: every index, counter and byte offset fits 64 bits while 4*B*C*T + 248*B*C + 16*B*J*T + 992*B*J + 4*B*T +
;   248*B + 16*C*J + 24*C + 32*J**2 + 51872*J + 2*T + 4439364 < 2**63 (checked at entry)
;   decided without a solver, from the structure alone
