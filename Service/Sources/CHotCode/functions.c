#include <stddef.h>

#include "shim.h"

#if defined(__linux__)

// `Packaging/program.ld` defines it.
extern const char chotcode_first[] __attribute__((weak, visibility("hidden")));

// `Packaging/symbol_order.py` names this function behind those that logins and refreshes run.
void chotcode_last(void) {}

const void *chotcode_start(void) { return chotcode_first; }
const void *chotcode_end(void) { return chotcode_first ? (const void *)chotcode_last : NULL; }

#else

const void *chotcode_start(void) { return NULL; }
const void *chotcode_end(void) { return NULL; }

#endif
