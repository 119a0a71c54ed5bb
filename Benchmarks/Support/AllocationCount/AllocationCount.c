// Replaces glibc's allocator functions: the program's malloc has precedence over the library's in all loaded libraries,
// including the Swift runtime. While counting is off, a call costs one additional load and branch.
#include "AllocationCount.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_bool counting;
static atomic_long count;
static atomic_long live;
static atomic_long peak;

void allocation_count_begin(void) {
    atomic_store(&count, 0);
    atomic_store(&live, 0);
    atomic_store(&peak, 0);
    atomic_store(&counting, true);
}

struct allocation_totals allocation_count_end(void) {
    atomic_store(&counting, false);
    struct allocation_totals totals = {atomic_load(&count), atomic_load(&peak)};
    return totals;
}

#if defined(__GLIBC__) || (defined(__linux__) && __has_include(<gnu/libc-version.h>))

#include <malloc.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t number, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

static bool is_counting(void) { return atomic_load_explicit(&counting, memory_order_relaxed); }

static void *counted(void *memory) {
    if (memory == NULL || !is_counting()) return memory;
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    long size = (long)malloc_usable_size(memory);
    long now = atomic_fetch_add_explicit(&live, size, memory_order_relaxed) + size;
    long most = atomic_load_explicit(&peak, memory_order_relaxed);
    while (now > most
        && !atomic_compare_exchange_weak_explicit(&peak, &most, now, memory_order_relaxed, memory_order_relaxed)) {
    }
    return memory;
}

static void given_back(void *memory) {
    if (memory == NULL || !is_counting()) return;
    atomic_fetch_sub_explicit(&live, (long)malloc_usable_size(memory), memory_order_relaxed);
}

bool allocation_count_is_available(void) { return true; }

void *malloc(size_t size) { return counted(__libc_malloc(size)); }

void *calloc(size_t number, size_t size) { return counted(__libc_calloc(number, size)); }

void *realloc(void *memory, size_t size) {
    given_back(memory);
    return counted(__libc_realloc(memory, size));
}

void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }

void *aligned_alloc(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }

int posix_memalign(void **answer, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
    void *memory = counted(__libc_memalign(alignment, size));
    if (memory == NULL) return ENOMEM;
    *answer = memory;
    return 0;
}

void free(void *memory) {
    given_back(memory);
    __libc_free(memory);
}

#else

bool allocation_count_is_available(void) { return false; }

#endif
