#include <stddef.h>

/// The bytes of a file that the compiler put into the program (C23, `#embed`). Swift's compiler needs minutes for a literal of
/// this size.
typedef struct {
    const unsigned char *bytes;
    size_t length;
} cembedded_file;

cembedded_file cembedded_openapi_yaml(void);
cembedded_file cembedded_prelude_session_js(void);
cembedded_file cembedded_calls_js(void);
cembedded_file cembedded_fields_js(void);
cembedded_file cembedded_members_js(void);
cembedded_file cembedded_playground_js(void);
cembedded_file cembedded_tokens_js(void);
