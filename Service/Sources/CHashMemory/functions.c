#define _GNU_SOURCE
#include "shim.h"

static _Thread_local int64_t requests;

int64_t chashmemory_requests(void) { return requests; }

static _Thread_local int64_t failures;

int64_t chashmemory_failures(void) { return failures; }

// Sanitizers have an mmap of their own.
#if defined(__linux__) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// libsodium maps the memory of each hash itself, in 4864 pages of 4 KiB. Clearing and mapping these took two fifths of the
// time of a hash, all of it in the kernel, where the thread gives its processor to no other one. With pages of 2 MiB it
// takes a fifth of that. libsodium has no setting for it, so the program defines the function that libsodium calls. glibc
// does not call it through its name, so `malloc` is as before.

static _Thread_local int uses_huge_pages;

void chashmemory_use_huge_pages(int use) { uses_huge_pages = use; }

static const size_t huge_page = 2 << 20;

__attribute__((visibility("default")))
void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset) {
    int asks = uses_huge_pages && (flags & MAP_ANONYMOUS) && length >= 2 * huge_page;
    // It would fill the mapping with small pages at once.
    if (asks) flags &= ~MAP_POPULATE;
    void *start = (void *)syscall(SYS_mmap, address, length, protection, flags, file, offset);
    if (start == MAP_FAILED) failures += 1;
    if (asks && start != MAP_FAILED) {
        // Without huge pages, the memory gets small ones when it is first used.
        madvise(start, length, MADV_HUGEPAGE);
        requests += 1;
    }
    return start;
}

#else

void chashmemory_use_huge_pages(int use) {}

#endif
