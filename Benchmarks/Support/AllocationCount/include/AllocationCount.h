#ifndef ALLOCATION_COUNT_H
#define ALLOCATION_COUNT_H

#include <stdbool.h>

/// The allocations of all threads of the process while counting was on.
struct allocation_totals {
    /// The number of successful calls of malloc, calloc, realloc and the aligned variants.
    long count;
    /// The peak of bytes in use, minus the bytes in use at the beginning.
    long peak_bytes;
};

/// Whether allocations can be counted. This needs glibc, whose allocator a program can replace.
bool allocation_count_is_available(void);
/// Starts counting from zero. Counts cannot be nested.
void allocation_count_begin(void);
/// Stops counting and returns the totals.
struct allocation_totals allocation_count_end(void);

#endif
