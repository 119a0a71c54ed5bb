/// The first byte of the code that logins and refreshes run, in a program of `scripts/release`: its linker puts these
/// functions beside each other. `NULL` in other programs.
const void *chotcode_start(void);

/// The first byte behind this code. `NULL` in other programs.
const void *chotcode_end(void);
