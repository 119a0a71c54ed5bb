// Adds milliseconds to the system clock of a process that loads this library with LD_PRELOAD. Other clocks are unchanged.
//
// The number is in the first eight bytes of the file that SHIFTED_CLOCK names. A test writes it while the process runs.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static volatile int64_t *shift;
static int (*original)(clockid_t, struct timespec *);

__attribute__((constructor)) static void prepare(void) {
    original = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    const char *path = getenv("SHIFTED_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *bytes = file < 0 ? MAP_FAILED : mmap(NULL, sizeof(*shift), PROT_READ, MAP_SHARED, file, 0);
    if (bytes != MAP_FAILED) shift = bytes;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    if (!original) prepare();
    int result = original(clock, now);
    if (result == 0 && shift && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        int64_t nanoseconds = now->tv_nsec + (*shift % 1000) * 1000000;
        now->tv_sec += *shift / 1000 + (nanoseconds < 0 ? -1 : nanoseconds / 1000000000);
        now->tv_nsec = (nanoseconds + 1000000000) % 1000000000;
    }
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec found;
    if (clock_gettime(CLOCK_REALTIME, &found) != 0) return -1;
    now->tv_sec = found.tv_sec;
    now->tv_usec = found.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec found;
    if (clock_gettime(CLOCK_REALTIME, &found) != 0) return -1;
    if (result) *result = found.tv_sec;
    return found.tv_sec;
}
