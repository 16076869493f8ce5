/* Starts a program on a bare RISC-V machine in Spike: reads the file `call` through Spike's host interface, calls, writes `answer`.

   call: 64-bit numbers: how many arrays and numbers; for each array its address, its bytes, and whether it is written (1 or 0); the
   numbers; then the arrays' bytes. answer: the program's code (64 bits), then the bytes of the arrays that are written.
   The program is guest_program(arrays, numbers); another name for it is a macro of the command line.
   A trap writes its cause, address and value to the file `trap`. Exits with 0 where `answer` is whole. */
#include <stdint.h>

int64_t guest_program(void *const *arrays, const int64_t *numbers);

enum { MOST = 64, OPEN = 56, READ = 63, WRITE = 64, HERE = -100, TO_READ = 0, TO_WRITE = 01 | 0100 | 01000 };

volatile uint64_t tohost __attribute__((aligned(64))), fromhost __attribute__((aligned(64)));

__asm__(".section .text.start, \"ax\"\n"
        ".globl _start\n"
        "_start:\n"
        "  li t0, 0x6600\n" /* floating-point registers are on, and vector registers where there are any */
        "  csrs mstatus, t0\n"
        "  la t0, at_trap\n"
        "  csrw mtvec, t0\n"
        "  la sp, stack_top\n"
        "  call run\n"
        ".balign 4\n"
        "at_trap:\n"
        "  la sp, stack_top\n"
        "  call trapped\n");

static long host(long what, long a, long b, long c, long d) {
    static volatile uint64_t call[8] __attribute__((aligned(64)));
    const long words[] = {what, a, b, c, d};
    for (int n = 0; n < 5; n++) call[n] = (uint64_t)words[n];
    __asm__ volatile("fence" : : : "memory");
    tohost = (uint64_t)(uintptr_t)call;
    while (!fromhost) continue;
    fromhost = 0;
    __asm__ volatile("fence" : : : "memory");
    return (long)call[0];
}

static void leave(uint64_t code) {
    tohost = code << 1 | 1;
    for (;;) continue;
}

static long open_file(const char *name, long bytes, long how) {
    long file = host(OPEN, HERE, (long)name, bytes, how);
    if (file < 0) leave(3);
    return file;
}

static void transfer(long what, long file, const void *where, uint64_t bytes) {
    for (uint64_t done = 0; done < bytes;) {
        long some = host(what, file, (long)where + (long)done, (long)(bytes - done), 0);
        if (some <= 0) leave(4);
        done += (uint64_t)some;
    }
}

__attribute__((used)) static void trapped(void) {
    uint64_t words[3];
    __asm__ volatile("csrr %0, mcause" : "=r"(words[0]));
    __asm__ volatile("csrr %0, mepc" : "=r"(words[1]));
    __asm__ volatile("csrr %0, mtval" : "=r"(words[2]));
    transfer(WRITE, open_file("trap", 5, TO_WRITE), words, sizeof words);
    leave(2);
}

__attribute__((used)) static void run(void) {
    static uint64_t counts[2], places[MOST][3];
    static int64_t numbers[MOST];
    static void *arrays[MOST];
    const long call = open_file("call", 5, TO_READ);
    transfer(READ, call, counts, sizeof counts);
    if (counts[0] > MOST || counts[1] > MOST) leave(5);
    transfer(READ, call, places, 24 * counts[0]);
    transfer(READ, call, numbers, 8 * counts[1]);
    for (uint64_t n = 0; n < counts[0]; n++) {
        arrays[n] = (void *)(uintptr_t)places[n][0];
        transfer(READ, call, arrays[n], places[n][1]);
    }
    const int64_t code = guest_program(arrays, numbers);
    const long answer = open_file("answer", 7, TO_WRITE);
    transfer(WRITE, answer, &code, sizeof code);
    for (uint64_t n = 0; n < counts[0]; n++)
        if (places[n][2]) transfer(WRITE, answer, arrays[n], places[n][1]);
    leave(0);
}
