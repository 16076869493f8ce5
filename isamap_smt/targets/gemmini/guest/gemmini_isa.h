/* Gemmini's instructions as C functions: one for each, with the fields of its two registers by name.

   Rows and columns are counts; local addresses are rows of 16 numbers; strides of main memory are bytes; scales are the bits of
   floats (GEMMINI_ONE is 1). Main memory is not ordered with other accesses of the CPU: gemmini_fence() waits for both.
   On another machine than RISC-V, gemmini_issue() executes an instruction, and gemmini_wait() is the fence: see host.c. */
#ifndef GEMMINI_ISA_H
#define GEMMINI_ISA_H

#include <stdint.h>

#define GEMMINI_NOWHERE UINT32_C(0xffffffff) /* no address: zeros where it is read, no result where it is written */
#define GEMMINI_ONE UINT32_C(0x3f800000)

enum { GEMMINI_OUTPUT_STATIONARY = 0, GEMMINI_WEIGHT_STATIONARY = 1 };

#ifdef __riscv
#define GEMMINI_ISSUE(funct, rs1, rs2) \
    __asm__ volatile(".insn r 0x7b, 3, " #funct ", x0, %0, %1" : : "r"((uint64_t)(rs1)), "r"((uint64_t)(rs2)) : "memory")
static inline void gemmini_fence(void) { __asm__ volatile("fence" : : : "memory"); }
#else
void gemmini_issue(uint32_t funct, uint64_t rs1, uint64_t rs2);
#define GEMMINI_ISSUE(funct, rs1, rs2) gemmini_issue(funct, rs1, rs2)
void gemmini_wait(void);
static inline void gemmini_fence(void) { gemmini_wait(); }
#endif

/* Rows of the accumulator: the bits that are added to its number. The scratchpad's have none. */
static inline uint32_t gemmini_acc(uint32_t row) { return UINT32_C(1) << 31 | row; }     /* results replace */
static inline uint32_t gemmini_acc_add(uint32_t row) { return UINT32_C(3) << 30 | row; } /* results are added */
static inline uint32_t gemmini_acc_full(uint32_t row) { return UINT32_C(5) << 29 | row; } /* mvout: all 32 bits */

static inline uint64_t gemmini_block(uint32_t local, uint32_t rows, uint32_t columns) {
    return (uint64_t)rows << 48 | (uint64_t)columns << 32 | local;
}

/* which: 0 for mvin, 1 for mvin2, 2 for mvin3. shrunk: bytes go to the accumulator. block_stride: rows from one block of 16 columns
   to the next. */
static inline void gemmini_config_ld(uint32_t which, uint64_t stride, uint32_t scale, int shrunk, uint32_t block_stride) {
    uint64_t fields = UINT64_C(1) | (uint64_t)(shrunk != 0) << 2 | (uint64_t)which << 3 | UINT64_C(1) << 8;
    GEMMINI_ISSUE(0, fields | (uint64_t)block_stride << 16 | (uint64_t)scale << 32, stride);
}

static inline void gemmini_config_st(uint32_t stride, uint32_t scale, int relu) {
    GEMMINI_ISSUE(0, UINT64_C(2) | (uint64_t)(relu != 0) << 2, (uint64_t)scale << 32 | stride);
}

/* shift and relu: of results that go to the scratchpad; shift: output-stationary alone. */
static inline void gemmini_config_ex(int dataflow, int relu, uint32_t shift, int a_transposed, int b_transposed) {
    uint64_t fields = (uint64_t)dataflow << 2 | (uint64_t)(relu != 0) << 3;
    fields |= (uint64_t)(a_transposed != 0) << 8 | (uint64_t)(b_transposed != 0) << 9;
    GEMMINI_ISSUE(0, fields | UINT64_C(1) << 16 | (uint64_t)GEMMINI_ONE << 32, UINT64_C(1) << 48 | shift);
}

static inline void gemmini_mvin(const void *from, uint64_t block) { GEMMINI_ISSUE(2, (uintptr_t)from, block); }
static inline void gemmini_mvin2(const void *from, uint64_t block) { GEMMINI_ISSUE(1, (uintptr_t)from, block); }
static inline void gemmini_mvin3(const void *from, uint64_t block) { GEMMINI_ISSUE(14, (uintptr_t)from, block); }
static inline void gemmini_mvout(void *to, uint64_t block) { GEMMINI_ISSUE(3, (uintptr_t)to, block); }

/* Weight-stationary: b, c; then a, d. Output-stationary: d, c; then a, b. */
static inline void gemmini_preload(uint64_t held, uint64_t c) { GEMMINI_ISSUE(6, held, c); }
static inline void gemmini_compute_preloaded(uint64_t a, uint64_t bd) { GEMMINI_ISSUE(4, a, bd); }
static inline void gemmini_compute_accumulated(uint64_t a, uint64_t bd) { GEMMINI_ISSUE(5, a, bd); }
static inline void gemmini_flush(void) { GEMMINI_ISSUE(7, 0, 0); }

/* What a program is: the arrays and numbers of one call; 0, or a code of its own. */
int64_t gemmini_program(void *const *arrays, const int64_t *numbers);

#endif
