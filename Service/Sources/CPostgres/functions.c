#include "shim.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// The first call loads the library, so that a process with another store does without it and the libraries that it needs.

#ifdef __APPLE__
static const char *const names[] = {
    "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib", "/usr/local/opt/libpq/lib/libpq.5.dylib"};
#else
static const char *const names[] = {"libpq.so.5"};
#endif

static _Atomic(void *) loaded;

const char *pq_load(void) {
    if (atomic_load(&loaded)) return NULL;
    const char *reason = NULL;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library) {
            atomic_store(&loaded, library);
            return NULL;
        }
        reason = dlerror();
    }
    return reason;
}

/// Every function is called after `pq_load`. An old library lacks some of them.
static void *find(const char *name) {
    void *function = pq_load() ? NULL : dlsym(atomic_load(&loaded), name);
    if (!function) abort();
    return function;
}

/// Defines a function that calls the one of libpq. Its address is looked up once.
#define FORWARD(type, name, original, parameters, arguments) \
    type name parameters { \
        static _Atomic(void *) known; \
        void *function = atomic_load_explicit(&known, memory_order_acquire); \
        if (!function) atomic_store_explicit(&known, function = find(#original), memory_order_release); \
        return ((type(*) parameters)function)arguments; \
    }

FORWARD(pq_option *, pq_parse, PQconninfoParse, (const char *uri, char **reason), (uri, reason))
FORWARD(void, pq_free_options, PQconninfoFree, (pq_option * options), (options))
FORWARD(void, pq_free_memory, PQfreemem, (void *memory), (memory))
FORWARD(int, pq_lib_version, PQlibVersion, (void), ())
FORWARD(void, pq_finish, PQfinish, (pq_connection * c), (c))
FORWARD(int, pq_status, PQstatus, (const pq_connection *c), (c))
FORWARD(const char *, pq_error_message, PQerrorMessage, (const pq_connection *c), (c))
FORWARD(int, pq_backend_pid, PQbackendPID, (const pq_connection *c), (c))
FORWARD(
    const char *, pq_parameter_status, PQparameterStatus, (const pq_connection *c, const char *name), (c, name))
FORWARD(int, pq_socket, PQsocket, (const pq_connection *c), (c))
FORWARD(int, pq_set_nonblocking, PQsetnonblocking, (pq_connection * c, int value), (c, value))
FORWARD(int, pq_flush, PQflush, (pq_connection * c), (c))
FORWARD(int, pq_consume_input, PQconsumeInput, (pq_connection * c), (c))
FORWARD(int, pq_is_busy, PQisBusy, (pq_connection * c), (c))
FORWARD(int, pq_enter_pipeline_mode, PQenterPipelineMode, (pq_connection * c), (c))
FORWARD(int, pq_pipeline_sync_point, PQpipelineSync, (pq_connection * c), (c))
FORWARD(pq_result *, pq_get_result, PQgetResult, (pq_connection * c), (c))
FORWARD(void, pq_clear, PQclear, (pq_result * r), (r))
FORWARD(int, pq_result_status, PQresultStatus, (const pq_result *r), (r))
FORWARD(const char *, pq_result_field, PQresultErrorField, (const pq_result *r, int field), (r, field))
FORWARD(int, pq_row_count, PQntuples, (const pq_result *r), (r))
FORWARD(int, pq_column_count, PQnfields, (const pq_result *r), (r))
FORWARD(const char *, pq_value, PQgetvalue, (const pq_result *r, int row, int column), (r, row, column))
FORWARD(int, pq_length, PQgetlength, (const pq_result *r, int row, int column), (r, row, column))
FORWARD(int, pq_is_null, PQgetisnull, (const pq_result *r, int row, int column), (r, row, column))
FORWARD(void *, pq_notification, PQnotifies, (pq_connection * c), (c))
FORWARD(const char *, pq_changed_rows, PQcmdTuples, (pq_result * r), (r))

static FORWARD(
    pq_connection *, connect_params, PQconnectdbParams,
    (const char *const *keywords, const char *const *values, int expand), (keywords, values, expand))
static FORWARD(
    int, prepare, PQsendPrepare,
    (pq_connection * c, const char *name, const char *sql, int count, const unsigned *types),
    (c, name, sql, count, types))
static FORWARD(
    int, query_prepared, PQsendQueryPrepared,
    (pq_connection * c, const char *name, int count, const char *const *values, const int *lengths, const int *formats,
     int format),
    (c, name, count, values, lengths, formats, format))

static FORWARD(
    int, query_params, PQsendQueryParams,
    (pq_connection * c, const char *sql, int count, const unsigned *types, const char *const *values,
     const int *lengths, const int *formats, int format),
    (c, sql, count, types, values, lengths, formats, format))

typedef void (*receiver)(void *argument, const pq_result *result);
static FORWARD(
    receiver, set_notice_receiver, PQsetNoticeReceiver, (pq_connection * c, receiver receive, void *argument),
    (c, receive, argument))

static void count_warning(void *count, const pq_result *result) {
    const char *severity = pq_result_field(result, pq_field_severity);
    const char *state = pq_result_field(result, pq_field_state);
    if (severity && state && !strcmp(severity, "WARNING") && !strcmp(state, "01000")) ++*(int *)count;
}

void pq_count_warnings(pq_connection *c, int *count) { set_notice_receiver(c, count_warning, count); }

pq_connection *pq_connect(const char *const *keywords, const char *const *values) {
    // No value is a connection string itself.
    return connect_params(keywords, values, 0);
}

int pq_send_prepare(pq_connection *c, const char *name, const char *sql) { return prepare(c, name, sql, 0, NULL); }

int pq_send_query_prepared(pq_connection *c, const char *name, int count, const char *const *values) {
    return query_prepared(c, name, count, values, NULL, NULL, 0);
}

int pq_send_query_once(pq_connection *c, const char *sql, int count, const char *const *values) {
    return query_params(c, sql, count, NULL, values, NULL, NULL, 0);
}
