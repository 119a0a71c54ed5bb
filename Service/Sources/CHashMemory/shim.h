#include <stdint.h>

/// Until the call with 0, memory that this thread maps for password hashes gets huge pages, if the kernel has some.
void chashmemory_use_huge_pages(int use);

/// The mappings of this thread so far for which it asked for huge pages.
int64_t chashmemory_requests(void);

/// How often the system has refused memory that this thread wanted to map. 0 where the program has no `mmap` of its own.
int64_t chashmemory_failures(void);
