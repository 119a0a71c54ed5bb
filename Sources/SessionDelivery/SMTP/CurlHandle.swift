internal import CCurl

/// A handle of libcurl with its open connections. One task uses it at a time.
final class CurlHandle {
    /// Initializes libcurl once.
    private static let isUsable = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    let pointer: UnsafeMutableRawPointer

    /// Returns `nil` when memory is short, or libcurl fails to initialize.
    init?() {
        guard Self.isUsable, let pointer = curl_easy_init() else { return nil }
        self.pointer = pointer
    }

    deinit { curl_easy_cleanup(pointer) }

    /// Removes all options. Connections stay open.
    func reset() { curl_easy_reset(pointer) }

    func set(_ option: CURLoption, _ value: Int) { _ = ccurl_set_number(pointer, option, value) }
    func set(_ option: CURLoption, _ value: String) { _ = ccurl_set_text(pointer, option, value) }

    func number(_ info: CURLINFO) -> Int {
        var value = 0
        return ccurl_get_number(pointer, info, &value) == CURLE_OK ? value : 0
    }
}

/// A list of texts for libcurl, which must exist until the transfer ends.
final class CurlList {
    private(set) var pointer: UnsafeMutablePointer<curl_slist>?

    init(_ texts: [String]) {
        for text in texts { pointer = curl_slist_append(pointer, text) }
    }

    deinit { curl_slist_free_all(pointer) }
}
