(set-info :smt-lib-version 2.6)
(set-logic ALL)
; sve/gemm/svusmmla_s32,i=i,j=j,k=k,a=A,b=B
; claim: memory
; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.

; memory of A_packed: the buffer's shape depends on sizes only
;   decided without a solver, from the structure alone

; memory of B_packed: the buffer's shape depends on sizes only
;   decided without a solver, from the structure alone

; memory of acc: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of a_r: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of b_r: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of a_r: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of b_r: a register is named by unrolled loops only
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

; memory of i_ua: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory: every index, counter and byte offset fits 64 bits while 4*I*J + I*K + 2*I + J*K + 6244*J + 1561*K + 564524 <
;   2**63 (checked at entry)
;   decided without a solver, from the structure alone

; memory of A_packed: the buffer's shape depends on sizes only
;   decided without a solver, from the structure alone

; memory of B_packed: the buffer's shape depends on sizes only
;   decided without a solver, from the structure alone

; memory of acc: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of a_r: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of b_r: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of a_r: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of b_r: a register is named by unrolled loops only
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

; memory of i_ua: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory: every index, counter and byte offset fits 64 bits while 4*I*J + I*K + 2*I + J*K + 12492*J + 3123*K + 1097112
;   < 2**63 (checked at entry)
;   decided without a solver, from the structure alone

; memory of A_packed: the buffer's shape depends on sizes only
;   decided without a solver, from the structure alone

; memory of B_packed: the buffer's shape depends on sizes only
;   decided without a solver, from the structure alone

; memory of acc: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of a_r: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of b_r: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of a_r: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of b_r: a register is named by unrolled loops only
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

; memory of i_ua: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory: every index, counter and byte offset fits 64 bits while 4*I*J + I*K + 2*I + J*K + 24988*J + 6247*K + 2195240
;   < 2**63 (checked at entry)
;   decided without a solver, from the structure alone

; memory of A_packed: the buffer's shape depends on sizes only
;   decided without a solver, from the structure alone

; memory of B_packed: the buffer's shape depends on sizes only
;   decided without a solver, from the structure alone

; memory of acc: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of a_r: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of b_r: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of a_r: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of b_r: a register is named by unrolled loops only
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

; memory of i_ua: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory: every index, counter and byte offset fits 64 bits while 4*I*J + I*K + 2*I + J*K + 49980*J + 12495*K + 4391496
;   < 2**63 (checked at entry)
;   decided without a solver, from the structure alone

; memory of A_packed: the buffer's shape depends on sizes only
;   decided without a solver, from the structure alone

; memory of B_packed: the buffer's shape depends on sizes only
;   decided without a solver, from the structure alone

; memory of acc: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of a_r: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of b_r: the number of registers is fixed
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of acc: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of a_r: a register is named by unrolled loops only
;   decided without a solver, from the structure alone

; memory of b_r: a register is named by unrolled loops only
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

; memory of i_ua: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_u: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of i_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory of j_us: an unrolled loop has a fixed count
;   decided without a solver, from the structure alone

; memory: every index, counter and byte offset fits 64 bits while 4*I*J + I*K + 2*I + J*K + 99964*J + 24991*K + 8784008
;   < 2**63 (checked at entry)
;   decided without a solver, from the structure alone
