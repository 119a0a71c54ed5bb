// Gives the system a copy of the mask of signals that a thread waits with.
//
// valgrind 3.19 changes the mask in place and ends with an internal error, because that of libdispatch is a constant.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>

int sigsuspend(const sigset_t *mask) {
    static int (*next)(const sigset_t *);
    if (!next) next = (int (*)(const sigset_t *))dlsym(RTLD_NEXT, "sigsuspend");
    sigset_t copy = *mask;
    return next(&copy);
}
