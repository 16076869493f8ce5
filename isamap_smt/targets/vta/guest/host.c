/* The list of a program in this process. */
#include "vta_stream.h"

/* list: rows of 8 numbers, until the next call. Returns how many there are; -1: there is no memory for them; -2: an address that
   no instruction reaches, then wrong is the byte of main memory and why (80 bytes) the reason. */
int64_t vta_list(const void *dram, void *const *arrays, const int64_t *numbers, int64_t **list, int64_t *wrong, char *why) {
    vta_begin(dram);
    vta_program(arrays, numbers);
    *list = vta_now.list;
    if (vta_now.full) return -1;
    if (vta_now.wrong < 0) return (int64_t)vta_now.count;
    *wrong = vta_now.wrong;
    snprintf(why, 80, "%s", vta_now.why);
    return -2;
}
