// Writes what a process sends to the log of the system to its standard error, when it loads this library with LD_PRELOAD.

#include <stdarg.h>
#include <stdio.h>

void vsyslog(int priority, const char *format, va_list values) {
    (void)priority;
    fputs("to the log of the system: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
}

void __vsyslog_chk(int priority, int flag, const char *format, va_list values) {
    (void)flag;
    vsyslog(priority, format, values);
}

void syslog(int priority, const char *format, ...) {
    va_list values;
    va_start(values, format);
    vsyslog(priority, format, values);
    va_end(values);
}

void __syslog_chk(int priority, int flag, const char *format, ...) {
    (void)flag;
    va_list values;
    va_start(values, format);
    vsyslog(priority, format, values);
    va_end(values);
}
