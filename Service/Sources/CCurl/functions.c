#include <dlfcn.h>
#include <stdarg.h>
#include <stdatomic.h>

#define CURL_DISABLE_TYPECHECK
// The parameter of curl_url_get is a pointer to a constant only in later versions of the header.
#define curl_url_get curl_url_get_of_the_header
// Libraries of the system must go on calling the functions of libcurl, not these.
#pragma GCC visibility push(hidden)
#include "shim.h"
#pragma GCC visibility pop
#undef curl_url_get

// The functions of libcurl that the program calls. The first call loads the library, so that a process that sends no mail
// does without it and the 37 libraries that it needs. FoundationNetworking is linked to these, too.

#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

static _Atomic(void *) loaded;

const char *ccurl_load(const char *name) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) return dlerror();
    atomic_store(&loaded, library);
    return NULL;
}

static void *find(const char *name) {
    if (!atomic_load(&loaded) && ccurl_load(ccurl_library)) return NULL;
    return dlsym(atomic_load(&loaded), name);
}

/// Defines a function that calls the one of libcurl, or returns `absent`.
#define FORWARD(type, name, parameters, arguments, absent) \
    type name parameters { \
        type(*function) parameters = (type(*) parameters)find(#name); \
        return function ? function arguments : absent; \
    }
#define FORWARD_VOID(name, parameters, arguments) \
    void name parameters { \
        void(*function) parameters = (void(*) parameters)find(#name); \
        if (function) function arguments; \
    }
/// Every option and every result has 64 bits, and is passed like a pointer.
#define FORWARD_OPTION(type, name, first, second, absent) \
    type name(first a, second b, ...) { \
        va_list list; \
        va_start(list, b); \
        void *c = va_arg(list, void *); \
        va_end(list); \
        type(*function)(first, second, ...) = (type(*)(first, second, ...))find(#name); \
        return function ? function(a, b, c) : absent; \
    }
_Static_assert(sizeof(long) == 8 && sizeof(curl_off_t) == 8 && sizeof(void *) == 8, "a system with 64 bits");

FORWARD(CURLcode, curl_global_init, (long flags), (flags), CURLE_FAILED_INIT)
FORWARD(CURL *, curl_easy_init, (void), (), NULL)
FORWARD_OPTION(CURLcode, curl_easy_setopt, CURL *, CURLoption, CURLE_FAILED_INIT)
FORWARD_OPTION(CURLcode, curl_easy_getinfo, CURL *, CURLINFO, CURLE_FAILED_INIT)
FORWARD(CURLcode, curl_easy_perform, (CURL * handle), (handle), CURLE_FAILED_INIT)
FORWARD_VOID(curl_easy_reset, (CURL * handle), (handle))
FORWARD_VOID(curl_easy_cleanup, (CURL * handle), (handle))
FORWARD(struct curl_slist *, curl_slist_append, (struct curl_slist * list, const char *text), (list, text), NULL)
FORWARD_VOID(curl_slist_free_all, (struct curl_slist * list), (list))

// Only FoundationNetworking calls these.
FORWARD(CURLcode, curl_easy_pause, (CURL * handle, int mask), (handle, mask), CURLE_FAILED_INIT)
FORWARD(const char *, curl_easy_strerror, (CURLcode code), (code), "libcurl is missing")
FORWARD_VOID(curl_free, (void *value), (value))
FORWARD(char *, curl_version, (void), (), NULL)
FORWARD(curl_version_info_data *, curl_version_info, (CURLversion version), (version), NULL)
FORWARD(CURLM *, curl_multi_init, (void), (), NULL)
FORWARD_OPTION(CURLMcode, curl_multi_setopt, CURLM *, CURLMoption, CURLM_INTERNAL_ERROR)
FORWARD(CURLMcode, curl_multi_add_handle, (CURLM * multi, CURL *handle), (multi, handle), CURLM_INTERNAL_ERROR)
FORWARD(CURLMcode, curl_multi_remove_handle, (CURLM * multi, CURL *handle), (multi, handle), CURLM_INTERNAL_ERROR)
FORWARD(
    CURLMcode, curl_multi_assign, (CURLM * multi, curl_socket_t socket, void *value), (multi, socket, value),
    CURLM_INTERNAL_ERROR)
FORWARD(
    CURLMcode, curl_multi_socket_action, (CURLM * multi, curl_socket_t socket, int events, int *running),
    (multi, socket, events, running), CURLM_INTERNAL_ERROR)
FORWARD(CURLMsg *, curl_multi_info_read, (CURLM * multi, int *queued), (multi, queued), NULL)
FORWARD(CURLMcode, curl_multi_cleanup, (CURLM * multi), (multi), CURLM_INTERNAL_ERROR)
FORWARD(CURLU *, curl_url, (void), (), NULL)
FORWARD(
    CURLUcode, curl_url_get, (const CURLU *url, CURLUPart part, char **value, unsigned int flags),
    (url, part, value, flags), CURLUE_OUT_OF_MEMORY)
FORWARD(
    CURLUcode, curl_url_set, (CURLU * url, CURLUPart part, const char *value, unsigned int flags),
    (url, part, value, flags), CURLUE_OUT_OF_MEMORY)
