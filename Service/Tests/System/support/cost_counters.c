// Counts what a process that loads this library with LD_PRELOAD asks of the allocator, SQLite and the disk.
//
// The counts are in the file that COST_COUNTERS names, eight bytes each, in the order of `Counter`. A test reads it while the
// process runs.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum Counter { ALLOCATIONS, STATEMENTS, PREPARATIONS, SYNCS, COUNTERS };

static _Atomic uint64_t unseen[COUNTERS];
static _Atomic uint64_t *counts = unseen;

__attribute__((constructor)) static void prepare(void) {
    const char *path = getenv("COST_COUNTERS");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    void *bytes = file < 0 ? MAP_FAILED : mmap(NULL, sizeof(unseen), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (bytes != MAP_FAILED) counts = bytes;
}

static void count(enum Counter counter) { atomic_fetch_add_explicit(&counts[counter], 1, memory_order_relaxed); }

// The next function of this name: that of the library that is counted.
#define NEXT(result, name, ...)                                                                   \
    static result (*next)(__VA_ARGS__);                                                           \
    if (!next) next = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

// Allocations: calls that return new memory, as in Benchmarks/Support/AllocationCount.

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t number, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
    count(ALLOCATIONS);
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count(ALLOCATIONS);
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    count(ALLOCATIONS);
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count(ALLOCATIONS);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
    count(ALLOCATIONS);
    void *memory = __libc_memalign(alignment, size);
    if (!memory) return ENOMEM;
    *result = memory;
    return 0;
}

// SQLite: the begin of each statement, also of those that read, and each statement that is parsed.

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
extern int sqlite3_stmt_busy(sqlite3_stmt *statement) __attribute__((weak));

int sqlite3_step(sqlite3_stmt *statement) {
    NEXT(int, "sqlite3_step", sqlite3_stmt *);
    if (sqlite3_stmt_busy && !sqlite3_stmt_busy(statement)) count(STATEMENTS);
    return next(statement);
}

int sqlite3_prepare_v2(sqlite3 *database, const char *sql, int size, sqlite3_stmt **statement, const char **tail) {
    NEXT(int, "sqlite3_prepare_v2", sqlite3 *, const char *, int, sqlite3_stmt **, const char **);
    count(PREPARATIONS);
    return next(database, sql, size, statement, tail);
}

int sqlite3_prepare_v3(
    sqlite3 *database, const char *sql, int size, unsigned flags, sqlite3_stmt **statement, const char **tail) {
    NEXT(int, "sqlite3_prepare_v3", sqlite3 *, const char *, int, unsigned, sqlite3_stmt **, const char **);
    count(PREPARATIONS);
    return next(database, sql, size, flags, statement, tail);
}

// The disk.

int fsync(int file) {
    NEXT(int, "fsync", int);
    count(SYNCS);
    return next(file);
}

int fdatasync(int file) {
    NEXT(int, "fdatasync", int);
    count(SYNCS);
    return next(file);
}
