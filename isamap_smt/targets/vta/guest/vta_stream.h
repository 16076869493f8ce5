/* VTA's instructions as C functions that write a list: what is issued, and the counters that it awaits and signals, in the order
   of the program's text. Rows of the list have 8 numbers: what, then its fields. See isamap_smt/targets/vta/stream.py.

   Addresses of main memory are counted from vta_begin()'s. One list at a time. */
#ifndef VTA_STREAM_H
#define VTA_STREAM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VTA_AWAIT, VTA_SIGNAL, VTA_LOAD, VTA_STORE, VTA_GEMM, VTA_RESET, VTA_ALU, VTA_NOTHING, VTA_BARRIER, VTA_ALU_ACC };
enum { VTA_UOPS, VTA_WGT, VTA_INP, VTA_ACC, VTA_OUT };
enum { VTA_MIN, VTA_MAX, VTA_ADD, VTA_SHR };
enum { VTA_ROWS = 16, VTA_FIELDS = 8, VTA_STRIDES = 1 << 16 };

static struct {
    const uint8_t *dram;
    int64_t *list;
    uint64_t count, room; /* rows of the list */
    int full;             /* there is no memory for more */
    int64_t wrong;        /* the first byte of main memory that no instruction reaches; -1: none */
    const char *why;
} vta_now;

static void vta_put(int64_t what, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int64_t g) {
    if (vta_now.count == vta_now.room) {
        uint64_t room = vta_now.room ? 2 * vta_now.room : 1024;
        int64_t *list = realloc(vta_now.list, room * VTA_FIELDS * sizeof *list);
        if (!list) vta_now.full = 1;
        if (!list) return;
        vta_now.list = list;
        vta_now.room = room;
    }
    const int64_t row[VTA_FIELDS] = {what, a, b, c, d, e, f, g};
    memcpy(vta_now.list + VTA_FIELDS * vta_now.count++, row, sizeof row);
}

static void vta_begin(const void *dram) {
    vta_now.dram = dram;
    vta_now.count = 0;
    vta_now.full = 0;
    vta_now.wrong = -1;
}

/* The number of the element of so many bytes at the address. */
static int64_t vta_element(const void *at, int64_t bytes) {
    int64_t address = (int64_t)((uintptr_t)at - (uintptr_t)vta_now.dram);
    if (address % bytes != 0 && vta_now.wrong < 0) {
        vta_now.wrong = address;
        vta_now.why = "begins between two of VTA's elements";
    }
    return address / bytes;
}

/* Rows between main memory and a memory of entries of so many bytes, `down` bytes apart, one entry each. front, zeros: rows of
   zeros before and after them. */
static void vta_rows(int64_t what, int64_t memory, int64_t entry, const void *at, int64_t down, int64_t front, int64_t rows,
                     int64_t zeros, int64_t bytes) {
    int64_t from = vta_element(at, bytes);
    if (rows > 1 && down % bytes != 0 && vta_now.wrong < 0) {
        vta_now.wrong = from * bytes + down;
        vta_now.why = "has rows that begin between two of VTA's elements";
    }
    int64_t step = rows > 1 ? down / bytes : 0;
    if (step >= 0 && step < VTA_STRIDES) {
        vta_put(what, memory, entry, from, rows, step, zeros, front);
        return;
    }
    for (int64_t row = 0; row < rows; row++) {
        int64_t before = row ? 0 : front;
        vta_put(what, memory, entry + front + row - before, from + row * step, 1, 0, row + 1 < rows ? 0 : zeros, before);
    }
}

/* Rows of a tile from `front` to before `end`; the first of them lies at the address, the others of the tile are zeros. The first
   bytes of main memory are zeros: there is what a load of no rows reads. */
static void vta_load(int64_t memory, int64_t entry, const void *at, int64_t down, int64_t front, int64_t end, int64_t bytes) {
    if (front < end) vta_rows(VTA_LOAD, memory, entry, at, down, front, end - front, VTA_ROWS - end, bytes);
    else vta_put(VTA_LOAD, memory, entry, 0, VTA_ROWS, 0, 0, 0);
}

static inline void vta_load_inp(int64_t entry, const int8_t *at, int64_t down, int64_t front, int64_t end) {
    vta_load(VTA_INP, entry, at, down, front, end, 16);
}

static inline void vta_load_acc(int64_t entry, const int32_t *at, int64_t down, int64_t rows) {
    vta_load(VTA_ACC, entry, at, 4 * down, 0, rows, 64);
}

/* A block is all its 16 rows. */
static inline void vta_load_wgt(int64_t row, const int8_t *at, int64_t rows) {
    if (rows > 0 && rows < VTA_ROWS && vta_now.wrong < 0) {
        vta_now.wrong = (int64_t)((uintptr_t)at - (uintptr_t)vta_now.dram) + VTA_ROWS * rows;
        vta_now.why = "ends within a block of 16 x 16 weights";
    }
    vta_put(VTA_LOAD, VTA_WGT, row / VTA_ROWS, rows > 0 ? vta_element(at, 256) : 0, 1, 0, 0, 0);
}

static inline void vta_store(int8_t *at, int64_t down, int64_t entry, int64_t rows) {
    if (rows > 0) vta_rows(VTA_STORE, VTA_OUT, entry, at, down, 0, rows, 0, 16);
    else vta_put(VTA_NOTHING, 2, 0, 0, 0, 0, 0, 0);
}

static inline void vta_reset(int64_t entry) { vta_put(VTA_RESET, entry, 0, 0, 0, 0, 0, 0); }

static inline void vta_gemm(int64_t sums, int64_t inputs, int64_t weights) {
    vta_put(VTA_GEMM, sums, inputs, weights / VTA_ROWS, 0, 0, 0, 0);
}

static inline void vta_alu(int64_t operation, int64_t entry, int64_t number) { vta_put(VTA_ALU, entry, 0, 0, operation, number, 0, 0); }

/* Of the sums at `entry` with those at `other`. */
static inline void vta_alu_acc(int64_t operation, int64_t entry, int64_t other) {
    vta_put(VTA_ALU_ACC, entry, other, 0, operation, 0, 0, 0);
}

/* An engine that does nothing but to await and to signal: 0 load, 1 compute, 2 store. */
static inline void vta_nothing(int64_t engine) { vta_put(VTA_NOTHING, engine, 0, 0, 0, 0, 0, 0); }

/* Of what is issued next. */
static inline void vta_await(int64_t counter, int64_t amount) { vta_put(VTA_AWAIT, counter, amount, 0, 0, 0, 0, 0); }

/* Of what was issued last. */
static inline void vta_signal(int64_t counter) { vta_put(VTA_SIGNAL, counter, 0, 0, 0, 0, 0, 0); }

/* All that was issued before is complete before anything that is issued behind it begins. */
static inline void vta_barrier(void) { vta_put(VTA_BARRIER, 0, 0, 0, 0, 0, 0, 0); }

#endif
