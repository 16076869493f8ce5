/* What Gemmini's instructions do, in plain integers: one processor's view, one instruction after the other.

   Written from the sources that docs/gemmini.md names, apart from the rest of this project: no description of the machine, no proof
   and no simulator is read here, and none of them reads this. Where the sources disagree, the instruction is refused. */
#ifndef GEMMINI_MODEL_H
#define GEMMINI_MODEL_H

#include <stdint.h>

enum { DIM = 16, SPAD_ROWS = 16384, ACC_ROWS = 1024, LOADS = 3, MAX_COLUMNS = 64, WIRES = 20 };

/* Why an instruction is refused. */
enum gemmini_refusal {
    GEMMINI_DONE = 0,
    GEMMINI_NOT_COVERED = 1, /* an instruction or field that this model has not */
    GEMMINI_ADDRESS = 2,     /* a row that is not there, or is in the wrong memory */
    GEMMINI_SHAPE = 3,       /* a number of rows or columns out of its limits */
    GEMMINI_UNWRITTEN = 4,   /* a cell is read that was never written */
    GEMMINI_CONFIG = 5,      /* used before it is configured, or configured as the sources do not agree on */
    GEMMINI_SCALE = 6,       /* a factor with which the sources do not agree */
    GEMMINI_ORDER = 7,       /* preload and compute in another order than pairs */
    GEMMINI_MEMORY = 8,      /* main memory that is not there */
};

/* Main memory: each returns 0, or something else where an address is not there. */
typedef int gemmini_read(void *memory, uint64_t address, uint8_t *to, uint64_t bytes);
typedef int gemmini_write(void *memory, uint64_t address, const uint8_t *from, uint64_t bytes);

struct load_config {
    int set, shrunk;
    uint32_t block_stride, scale;
    uint64_t stride;
};

struct store_config {
    int set, relu;
    uint32_t stride, scale;
};

struct execute_config {
    int set, weights_stay, relu, a_transposed, b_transposed;
    uint32_t shift;
};

/* The second half of a register: where, and how many rows and columns. */
struct operand {
    int garbage, accumulator, accumulate, full;
    uint32_t norm, row, rows, columns;
};

struct gemmini {
    gemmini_read *read;
    gemmini_write *write;
    void *memory;
    int8_t spad[SPAD_ROWS][DIM];
    int32_t acc[ACC_ROWS][DIM];
    uint8_t spad_written[SPAD_ROWS][DIM], acc_written[ACC_ROWS][DIM];
    struct load_config load[LOADS];
    struct store_config store;
    struct execute_config execute;
    int preload_waits;         /* a preload whose compute has not come */
    struct operand held, into; /* its operands */
    int array_set;             /* the array holds weights (WS) or sums (OS) */
    int sums_stored;           /* OS: the sums of the array were stored */
    int32_t array[DIM][DIM];
    uint64_t wide;     /* computes of which the array's 20-bit wires cut a sum */
    uint64_t executed; /* instructions */
    const char *name;  /* the instruction being executed */
    char message[320];
};

/* What others call: a model with nothing written and nothing configured, one instruction, the reason of a refusal, and of how
   many computes the default machine's 20-bit wires cut a sum. */
struct gemmini *gemmini_new(gemmini_read *read, gemmini_write *write, void *memory);
void gemmini_free(struct gemmini *g);
int gemmini_execute(struct gemmini *g, uint32_t funct, uint64_t rs1, uint64_t rs2);
const char *gemmini_message(const struct gemmini *g);
uint64_t gemmini_wide(const struct gemmini *g);

/* The rest is not seen from outside of the library. */
#pragma GCC visibility push(hidden)

/* numbers.c */
uint64_t nearest_even(uint64_t value, uint32_t shift);
int scale_is_finite(uint32_t scale);
int scaled(int32_t value, uint32_t scale, int8_t *result);
int32_t shifted(int32_t value, uint32_t shift);
int8_t saturated(int64_t value);
int32_t wrapped(int64_t value, uint32_t bits);

/* cells.c */
int refuse(struct gemmini *g, int why, const char *format, ...);
struct operand operand_of(uint64_t bits);
int check_shape(struct gemmini *g, const struct operand *o, uint32_t most_columns, const char *what);
int check_address(struct gemmini *g, const struct operand *o, const char *what);
int read_spad(struct gemmini *g, uint32_t row, uint32_t column, int8_t *value);
int write_spad(struct gemmini *g, uint32_t row, uint32_t column, int8_t value);
int read_acc(struct gemmini *g, uint32_t row, uint32_t column, int32_t *value);
int write_acc(struct gemmini *g, uint32_t row, uint32_t column, int32_t value, int accumulate);

/* configure.c, mvin.c, mvout.c, compute.c */
int configure(struct gemmini *g, uint64_t rs1, uint64_t rs2);
int mvin(struct gemmini *g, const struct load_config *load, uint64_t address, uint64_t local);
int mvout(struct gemmini *g, uint64_t address, uint64_t local);
int preload(struct gemmini *g, uint64_t held, uint64_t into);
int compute(struct gemmini *g, uint64_t a, uint64_t bd, int fresh);

#pragma GCC visibility pop

#endif
