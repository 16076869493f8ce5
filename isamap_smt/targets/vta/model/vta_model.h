/* What the instructions of TVM's VTA do, in plain integers: three engines, four queues of tokens, and whatever order of the engines a
   seed chooses.

   Written from the sources that docs/vta.md names, apart from the rest of this project: no description of the machine, no proof
   and no simulator is read here, and none of them reads this. Where the sources disagree, the instruction is refused. */
#ifndef VTA_MODEL_H
#define VTA_MODEL_H

#include <stdint.h>

/* The default machine: vectors of 16 numbers, blocks of 16 x 16 weights, and the entries of each memory. */
enum { BLOCK = 16, UOP_ENTRIES = 2048, WGT_ENTRIES = 1024, INP_ENTRIES = 2048, ACC_ENTRIES = 2048 };

/* Tokens that a queue holds, and instructions that wait for an engine. */
enum { QUEUE_DEPTH = 8, WAITING_INSTRUCTIONS = 512 };

/* Why a program is refused. */
enum vta_why {
    VTA_DONE = 0,
    VTA_NOT_COVERED = 1, /* an instruction, memory or bit that this model has not */
    VTA_SHAPE = 2,       /* sizes, pads or numbers of iterations with which the sources do not agree */
    VTA_INDEX = 3,       /* an entry that is not there */
    VTA_MEMORY = 4,      /* main memory that is not there */
    VTA_UNWRITTEN = 5,   /* an entry is read that was never written */
    VTA_STALE = 6,       /* an entry is stored that neither a product nor the ALU wrote last */
    VTA_SHIFT = 7,       /* a shift by less than 0 or more than 15 */
    VTA_TOKENS = 8,      /* a token that an engine cannot pass, or tokens that are left */
    VTA_FINISH = 9,      /* not one finish, at the end */
    VTA_DEADLOCK = 10,   /* no engine can go on */
    VTA_NO_ROOM = 11,    /* no memory for the model itself */
};

struct vta_report {
    int64_t code; /* 0: done; else a vta_why */
    uint64_t races, steps, hazards;
    uint64_t instructions[3]; /* executed by load, compute, store */
    char message[320];        /* why it is refused */
    char race[320];           /* the first race */
};

/* Runs count 128-bit instructions (16 bytes each, little endian) at `instructions`, on a machine where nothing is written. dram: byte 0
   is physical address 0. seed chooses the order of the engines; 0: always the first that can. Returns report->code. */
int vta_model_run(uint8_t *dram, uint64_t bytes, const uint8_t *instructions, uint64_t count, uint64_t seed,
                  struct vta_report *report);

/* The rest is not seen from outside of the library. */
#pragma GCC visibility push(hidden)

enum engine { LOAD, COMPUTE, STORE, ENGINES };
enum queue { L2G, G2L, G2S, S2G, QUEUES, NO_QUEUE = QUEUES };
enum opcode { OP_LOAD, OP_STORE, OP_GEMM, OP_FINISH, OP_ALU };
enum memory { UOP, WGT, INP, ACC, OUT, MEMORIES };
enum alu { ALU_MIN, ALU_MAX, ALU_ADD, ALU_SHR };

/* Fields as they stand in the bits; which of them mean something depends on the opcode. */
struct instruction {
    uint32_t opcode, pop_prev, pop_next, push_prev, push_next, unused;
    uint32_t memory, sram, dram, y_size, x_size, x_stride, y_pad_0, y_pad_1, x_pad_0, x_pad_1;
    uint32_t reset, uop_begin, uop_end, iter_out, iter_in;
    uint32_t dst_out, dst_in, src_out, src_in, wgt_out, wgt_in, op, use_imm;
    int32_t imm;
    enum engine engine;
    uint32_t number;  /* in the program, from 0 */
    uint32_t ordinal; /* among its engine's, from 1 */
};

/* Instruction numbers plus one of who wrote a cell last, and of each engine's last read; 0: nobody. */
struct cell {
    uint32_t writer, reader[ENGINES];
};

/* What each engine has seen of each: the ordinal of its last instruction that surely is over. */
struct clock {
    uint32_t seen[ENGINES];
};

struct tokens {
    uint32_t first, count;
    struct clock clock[QUEUE_DEPTH];
};

/* How an entry of acc was written last. */
enum written { NEVER, LOADED, RESET, COMPUTED };

struct state {
    uint32_t *own;           /* numbers of its instructions */
    uint32_t total;          /* of them */
    uint32_t fetched, ended; /* of them */
    int running;             /* own[ended] has its tokens */
    uint64_t slice;          /* of own[ended], the next one */
    struct clock clock;
};

struct vta {
    struct instruction *program;
    uint64_t count, fetched, bytes, random, burst;
    uint8_t *dram;
    struct cell *dram_cells; /* of 4 bytes each: all that is moved begins and ends at a multiple of 4 */
    struct vta_report *report;
    struct state engine[ENGINES];
    struct tokens queue[QUEUES];
    enum engine last;     /* that went on */
    uint32_t last_dst;    /* of the micro-op before */
    const struct instruction *now;
    uint32_t uop[UOP_ENTRIES];
    int8_t wgt[WGT_ENTRIES][BLOCK][BLOCK], inp[INP_ENTRIES][BLOCK], out[ACC_ENTRIES][BLOCK];
    int32_t acc[ACC_ENTRIES][BLOCK];
    uint8_t uop_written[UOP_ENTRIES], wgt_written[WGT_ENTRIES], inp_written[INP_ENTRIES];
    uint8_t acc_written[ACC_ENTRIES]; /* enum written */
    struct cell wgt_cells[WGT_ENTRIES], inp_cells[INP_ENTRIES];
    struct cell acc_cells[ACC_ENTRIES]; /* of acc and out together */
};

/* decode.c */
void decode(const uint8_t *bytes, struct instruction *to);
const char *name_of(const struct instruction *i);

/* memories.c */
uint32_t entries_of(uint32_t memory);
uint32_t bytes_of(uint32_t memory);
const char *memory_name(uint32_t memory);

/* check.c */
int refuse(struct vta *v, int why, const char *format, ...);
int check(struct vta *v);

/* load.c, store.c, gemm.c, alu.c: one slice of an instruction, and how many there are */
uint64_t rows_of(const struct instruction *i);
int load_row(struct vta *v, uint32_t row);
int store_row(struct vta *v, uint32_t row);
uint64_t micro_ops_of(const struct instruction *i);
int gemm_step(struct vta *v, uint64_t n);
int alu_step(struct vta *v, uint64_t n);

/* loops.c: the micro-op and the indices of a step */
struct indices {
    uint64_t y, x;
    uint32_t uop, dst, src, wgt;
};
int indices_of(struct vta *v, uint64_t n, struct indices *to);
int check_index(struct vta *v, const struct indices *i, const char *what, uint32_t index, uint32_t memory);

/* numbers.c */
int32_t wrapped(int64_t value);
int32_t shifted(int32_t value, uint32_t shift);
int8_t low_byte(int32_t value);
int32_t little_endian(const uint8_t *bytes);

/* races.c */
void touch(struct vta *v, struct cell *cell, int writes, const char *memory, uint64_t index);
void touch_dram(struct vta *v, uint64_t address, uint64_t bytes, int writes);
void note_unfinished(struct vta *v);

/* tokens.c */
int can_pop(const struct vta *v, const struct instruction *i);
int can_push(const struct vta *v, const struct instruction *i);
void pop(struct vta *v, const struct instruction *i);
void push(struct vta *v, const struct instruction *i);
int say_deadlock(struct vta *v);
int check_left(struct vta *v);

#pragma GCC visibility pop

#endif
