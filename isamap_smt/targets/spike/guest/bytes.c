/* What compilers call by themselves where there is no C library. With -fno-builtin no loop here becomes a call. */
#include <stddef.h>

void *memmove(void *to, const void *from, size_t count) {
    char *target = to;
    const char *source = from;
    if (target <= source)
        for (size_t n = 0; n < count; n++) target[n] = source[n];
    else
        while (count--) target[count] = source[count];
    return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t count) { return memmove(to, from, count); }

void *memset(void *to, int value, size_t count) {
    for (size_t n = 0; n < count; n++) ((char *)to)[n] = (char)value;
    return to;
}
