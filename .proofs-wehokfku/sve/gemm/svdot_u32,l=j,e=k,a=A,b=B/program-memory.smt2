(set-info :smt-lib-version 2.6)
(set-logic ALL)
; sve/gemm/svdot_u32,l=j,e=k,a=A,b=B
; claim: memory
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; memory of A_packed: the buffer's shape depends on sizes only
;   decided without a solver, from the structure alone

; memory of B_packed: the buffer's shape depends on sizes only
;   decided without a solver, from the structure alone

; memory of acc: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of b_r: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of a_r: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
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

; memory of i_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_ul: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_ul: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_ub: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory: every index, counter and byte offset fits 64 bits while 4*I*J + I*K + 2*I + J*K + 12380*J + 3095*K + 1068102
;   < 2**63 (checked at entry)
;   decided without a solver, from the structure alone

; memory of A_packed: the buffer's shape depends on sizes only
;   decided without a solver, from the structure alone

; memory of B_packed: the buffer's shape depends on sizes only
;   decided without a solver, from the structure alone

; memory of acc: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of b_r: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of a_r: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
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

; memory of i_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_ul: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_ul: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_ub: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory: every index, counter and byte offset fits 64 bits while 4*I*J + I*K + 2*I + J*K + 12380*J + 3095*K + 1068102
;   < 2**63 (checked at entry)
;   decided without a solver, from the structure alone

; memory of A_packed: the buffer's shape depends on sizes only
;   decided without a solver, from the structure alone

; memory of B_packed: the buffer's shape depends on sizes only
;   decided without a solver, from the structure alone

; memory of acc: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of b_r: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of a_r: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
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

; memory of i_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_ul: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_ul: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_ub: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory: every index, counter and byte offset fits 64 bits while 4*I*J + I*K + 2*I + J*K + 12380*J + 3095*K + 1244932
;   < 2**63 (checked at entry)
;   decided without a solver, from the structure alone

; memory of A_packed: the buffer's shape depends on sizes only
;   decided without a solver, from the structure alone

; memory of B_packed: the buffer's shape depends on sizes only
;   decided without a solver, from the structure alone

; memory of acc: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of b_r: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of a_r: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
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

; memory of i_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_ul: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_ul: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_ub: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory: every index, counter and byte offset fits 64 bits while 4*I*J + I*K + 2*I + J*K + 12380*J + 3095*K + 2490884
;   < 2**63 (checked at entry)
;   decided without a solver, from the structure alone

; memory of A_packed: the buffer's shape depends on sizes only
;   decided without a solver, from the structure alone

; memory of B_packed: the buffer's shape depends on sizes only
;   decided without a solver, from the structure alone

; memory of acc: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of b_r: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of a_r: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
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

; memory of i_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_uz: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_ul: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_ul: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_ub: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory: every index, counter and byte offset fits 64 bits while 4*I*J + I*K + 2*I + J*K + 12380*J + 3095*K + 4982788
;   < 2**63 (checked at entry)
;   decided without a solver, from the structure alone
