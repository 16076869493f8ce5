/* The two local memories, cell by cell, and where operands lie in them. A cell that was never written is not read. */
#include <stdarg.h>
#include <stdio.h>
#include "gemmini_model.h"

/* Keep the reason, in one sentence, and return why. */
int refuse(struct gemmini *g, int why, const char *format, ...) {
    int head = snprintf(g->message, sizeof g->message, "instruction %llu, %s: ", (unsigned long long)g->executed, g->name);
    va_list rest;
    va_start(rest, format);
    vsnprintf(g->message + head, sizeof g->message - (uint32_t)head, format, rest);
    va_end(rest);
    return why;
}

struct operand operand_of(uint64_t bits) {
    uint32_t local = (uint32_t)bits;
    struct operand o = {
        .garbage = local == 0xffffffff,
        .accumulator = (int)(local >> 31 & 1),
        .accumulate = (int)(local >> 30 & 1),
        .full = (int)(local >> 29 & 1),
        .norm = local >> 26 & 7,
        .row = local & 0x1fffffff,
        .rows = (uint32_t)(bits >> 48 & 0xffff),
        .columns = (uint32_t)(bits >> 32 & 0xffff),
    };
    return o;
}

int check_shape(struct gemmini *g, const struct operand *o, uint32_t most_columns, const char *what) {
    if (o->rows < 1 || o->rows > DIM)
        return refuse(g, GEMMINI_SHAPE, "%s has %u rows, and 1 to %d are possible", what, o->rows, DIM);
    if (o->columns < 1 || o->columns > most_columns)
        return refuse(g, GEMMINI_SHAPE, "%s has %u columns, and 1 to %u are possible", what, o->columns, most_columns);
    return GEMMINI_DONE;
}

/* The bits above the row: a normalisation is not covered, and accumulate and full are said of accumulator rows alone. */
int check_address(struct gemmini *g, const struct operand *o, const char *what) {
    if (o->garbage) return refuse(g, GEMMINI_ADDRESS, "%s needs an address, and has that of no row (all ones)", what);
    if (o->accumulator && o->norm)
        return refuse(g, GEMMINI_NOT_COVERED, "%s asks for normalisation %u (bits 28..26)", what, o->norm);
    if (!o->accumulator && (o->accumulate || o->full))
        return refuse(g, GEMMINI_ADDRESS, "%s is in the scratchpad, and bit 30 or 29 is for the accumulator alone", what);
    return GEMMINI_DONE;
}

static int spad_row(struct gemmini *g, uint32_t row) {
    if (row < SPAD_ROWS) return GEMMINI_DONE;
    return refuse(g, GEMMINI_ADDRESS, "the scratchpad has no row %u; its last is %d", row, SPAD_ROWS - 1);
}

static int acc_row(struct gemmini *g, uint32_t row) {
    if (row < ACC_ROWS) return GEMMINI_DONE;
    return refuse(g, GEMMINI_ADDRESS, "the accumulator has no row %u; its last is %d", row, ACC_ROWS - 1);
}

int read_spad(struct gemmini *g, uint32_t row, uint32_t column, int8_t *value) {
    int why = spad_row(g, row);
    if (why) return why;
    if (!g->spad_written[row][column])
        return refuse(g, GEMMINI_UNWRITTEN, "row %u, column %u of the scratchpad is read, and was never written", row, column);
    *value = g->spad[row][column];
    return GEMMINI_DONE;
}

int write_spad(struct gemmini *g, uint32_t row, uint32_t column, int8_t value) {
    int why = spad_row(g, row);
    if (why) return why;
    g->spad[row][column] = value;
    g->spad_written[row][column] = 1;
    return GEMMINI_DONE;
}

int read_acc(struct gemmini *g, uint32_t row, uint32_t column, int32_t *value) {
    int why = acc_row(g, row);
    if (why) return why;
    if (!g->acc_written[row][column])
        return refuse(g, GEMMINI_UNWRITTEN, "row %u, column %u of the accumulator is read, and was never written", row, column);
    *value = g->acc[row][column];
    return GEMMINI_DONE;
}

int write_acc(struct gemmini *g, uint32_t row, uint32_t column, int32_t value, int accumulate) {
    int32_t before = 0;
    int why = accumulate ? read_acc(g, row, column, &before) : acc_row(g, row);
    if (why) return why;
    g->acc[row][column] = wrapped((int64_t)before + value, 32);
    g->acc_written[row][column] = 1;
    return GEMMINI_DONE;
}
