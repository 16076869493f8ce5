/* The same programs in this process, without RISC-V: each instruction goes to the model, and main memory is the arrays' alone. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gemmini_isa.h"
#include "gemmini_model.h"

static struct {
    struct gemmini *model;
    void *const *arrays;
    const uint64_t *bytes;
    uint64_t count;
    jmp_buf refused;
} now;

/* Whether all these bytes are one array's. */
static int is_there(uint64_t address, uint64_t bytes) {
    for (uint64_t n = 0; n < now.count; n++) {
        uint64_t start = (uint64_t)(uintptr_t)now.arrays[n];
        if (address >= start && bytes <= now.bytes[n] && address - start <= now.bytes[n] - bytes) return 1;
    }
    return 0;
}

static int read_here(void *memory, uint64_t address, uint8_t *to, uint64_t bytes) {
    (void)memory;
    if (!is_there(address, bytes)) return 1;
    memcpy(to, (const void *)(uintptr_t)address, bytes);
    return 0;
}

static int write_here(void *memory, uint64_t address, const uint8_t *from, uint64_t bytes) {
    (void)memory;
    if (!is_there(address, bytes)) return 1;
    memcpy((void *)(uintptr_t)address, from, bytes);
    return 0;
}

/* What was issued since recording began: function code and registers; FENCE for a fence. */
enum { FENCE = 127 };
static struct {
    int on;
    uint64_t count, capacity;
    uint64_t (*commands)[3];
} record;

void gemmini_record(int on) {
    record.on = on;
    record.count = 0;
}

uint64_t gemmini_recorded(uint64_t (**commands)[3]) {
    *commands = record.commands;
    return record.count;
}

static void note(uint32_t funct, uint64_t rs1, uint64_t rs2) {
    if (!record.on) return;
    if (record.count == record.capacity) {
        uint64_t capacity = record.capacity ? 2 * record.capacity : 4096;
        void *more = realloc(record.commands, capacity * sizeof *record.commands);
        if (!more) abort();
        record.commands = more;
        record.capacity = capacity;
    }
    record.commands[record.count][0] = funct;
    record.commands[record.count][1] = rs1;
    record.commands[record.count++][2] = rs2;
}

void gemmini_wait(void) { note(FENCE, 0, 0); }

void gemmini_issue(uint32_t funct, uint64_t rs1, uint64_t rs2) {
    note(funct, rs1, rs2);
    int why = gemmini_execute(now.model, funct, rs1, rs2);
    if (why) longjmp(now.refused, why);
}

/* The program on a machine where nothing is written yet. Returns 0, or why an instruction is refused: then message (320 bytes) has
   the reason. code: what the program returned. wide: as gemmini_wide(). -1: no memory for the model. One call at a time. */
int gemmini_here(void *const *arrays, const uint64_t *bytes, uint64_t count, const int64_t *numbers, int64_t *code, uint64_t *wide,
                 char *message) {
    struct gemmini *model = gemmini_new(read_here, write_here, 0);
    if (!model) return -1;
    now.model = model;
    now.arrays = arrays;
    now.bytes = bytes;
    now.count = count;
    int why = setjmp(now.refused);
    if (!why) *code = gemmini_program(arrays, numbers);
    else snprintf(message, 320, "%s", gemmini_message(now.model));
    *wide = gemmini_wide(now.model);
    gemmini_free(now.model);
    return why;
}
