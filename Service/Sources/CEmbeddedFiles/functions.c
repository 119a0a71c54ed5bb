#include "shim.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

#define EMBED(name) \
    cembedded_file cembedded_##name(void) { return (cembedded_file){name, sizeof name}; }

static const unsigned char openapi_yaml[] = {
#embed "../SessionHTTP/OpenAPI/openapi.yaml"
};
EMBED(openapi_yaml)

static const unsigned char prelude_session_js[] = {
#embed "../SessionHTTP/WebClient/prelude-session.js"
};
EMBED(prelude_session_js)

static const unsigned char calls_js[] = {
#embed "../SessionConsole/Playground/Scripts/calls.js"
};
EMBED(calls_js)

static const unsigned char fields_js[] = {
#embed "../SessionConsole/Playground/Scripts/fields.js"
};
EMBED(fields_js)

static const unsigned char members_js[] = {
#embed "../SessionConsole/Playground/Scripts/members.js"
};
EMBED(members_js)

static const unsigned char playground_js[] = {
#embed "../SessionConsole/Playground/Scripts/playground.js"
};
EMBED(playground_js)

static const unsigned char tokens_js[] = {
#embed "../SessionConsole/Playground/Scripts/tokens.js"
};
EMBED(tokens_js)
