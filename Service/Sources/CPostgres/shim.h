#include <stddef.h>

// The functions of libpq that the store calls, with `pq_` for `PQ`. libpq keeps its binary interface, so its headers are not
// needed to build. The values are those of libpq-fe.h.

typedef struct pg_conn pq_connection;
typedef struct pg_result pq_result;

enum {
    pq_connection_ok = 0,
    pq_command_ok = 1,
    pq_tuples_ok = 2,
    pq_pipeline_sync = 10,
    pq_pipeline_aborted = 11,
    pq_field_state = 'C',
    pq_field_message = 'M',
    pq_field_severity = 'V',
};

/// Loads libpq. Returns NULL, or why the system cannot load it. The text is valid until the next call on this thread.
const char *pq_load(void);
/// 140000 for version 14. The first one with pipelines is 14.
int pq_lib_version(void);

/// One parameter of a connection. The layout is that of PQconninfoOption.
typedef struct {
    char *keyword;
    char *variable;
    char *compiled;
    char *value;
    char *label;
    char *shown;
    int size;
} pq_option;

/// Reads a URI. The last option has no keyword. Returns NULL with a reason.
pq_option *pq_parse(const char *uri, char **reason);
void pq_free_options(pq_option *options);
void pq_free_memory(void *memory);

/// Notices of the server are ignored.
pq_connection *pq_connect(const char *const *names, const char *const *values);
void pq_finish(pq_connection *connection);
int pq_status(const pq_connection *connection);
const char *pq_error_message(const pq_connection *connection);
/// The process of the server, as the server says at the start. A pooler between says something else.
int pq_backend_pid(const pq_connection *connection);
/// A setting that the server reports whenever it changes. NULL: it does not.
const char *pq_parameter_status(const pq_connection *connection, const char *name);
/// Counts warnings without a code of their own, and keeps all messages that are no errors from the standard error.
void pq_count_warnings(pq_connection *connection, int *count);
int pq_socket(const pq_connection *connection);
int pq_set_nonblocking(pq_connection *connection, int value);
int pq_flush(pq_connection *connection);
int pq_consume_input(pq_connection *connection);
int pq_is_busy(pq_connection *connection);
int pq_enter_pipeline_mode(pq_connection *connection);
int pq_pipeline_sync_point(pq_connection *connection);
/// Has no types of parameters: the server derives them.
int pq_send_prepare(pq_connection *connection, const char *name, const char *sql);
/// All values and results are texts.
int pq_send_query_prepared(
    pq_connection *connection, const char *name, int count, const char *const *values);
/// The same without a name, so that the server keeps nothing.
int pq_send_query_once(pq_connection *connection, const char *sql, int count, const char *const *values);
pq_result *pq_get_result(pq_connection *connection);
void pq_clear(pq_result *result);
int pq_result_status(const pq_result *result);
const char *pq_result_field(const pq_result *result, int field);
int pq_row_count(const pq_result *result);
int pq_column_count(const pq_result *result);
const char *pq_value(const pq_result *result, int row, int column);
int pq_length(const pq_result *result, int row, int column);
int pq_is_null(const pq_result *result, int row, int column);
/// The next notification that was received, or NULL. `pq_free_memory` frees it.
void *pq_notification(pq_connection *connection);
/// The number of changed rows as a text, empty for other statements.
const char *pq_changed_rows(pq_result *result);
