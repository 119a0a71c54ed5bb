#ifndef ALLOCATION_COUNT_H
#define ALLOCATION_COUNT_H

#include <stdbool.h>

/// What all threads of the process allocated while counting was on.
struct allocation_totals {
    /// Calls that gave memory: malloc, calloc, realloc, and the aligned kinds.
    long count;
    /// The most bytes in use at once, above those in use at the beginning.
    long peak_bytes;
};

/// Whether allocations can be counted here: with glibc, whose allocator a program may stand in front of.
bool allocation_count_is_available(void);
/// Counts from zero. One count at a time.
void allocation_count_begin(void);
/// Stops counting.
struct allocation_totals allocation_count_end(void);

#endif
