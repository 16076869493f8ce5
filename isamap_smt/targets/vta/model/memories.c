/* The memories: how many entries they have, and the bytes of an entry in main memory. */
#include "vta_model.h"

uint32_t entries_of(uint32_t memory) {
    static const uint32_t entries[MEMORIES] = {UOP_ENTRIES, WGT_ENTRIES, INP_ENTRIES, ACC_ENTRIES, ACC_ENTRIES};
    return entries[memory];
}

uint32_t bytes_of(uint32_t memory) {
    static const uint32_t bytes[MEMORIES] = {4, BLOCK * BLOCK, BLOCK, 4 * BLOCK, BLOCK};
    return bytes[memory];
}

const char *memory_name(uint32_t memory) {
    static const char *const names[MEMORIES] = {"uop", "wgt", "inp", "acc", "out"};
    return names[memory];
}
