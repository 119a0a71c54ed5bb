/// The first byte of the code that logins and refreshes run, in a program of `scripts/release`: its linker puts these
/// functions, and those that share a section with one of them, beside each other. `NULL` in other programs.
const void *chotcode_start(void);

/// The first byte behind this code. `NULL` in other programs.
const void *chotcode_end(void);
