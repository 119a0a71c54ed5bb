internal import CCurl
internal import Foundation

/// A handle of libcurl with its open connections. One task uses it at a time.
final class CurlHandle {
    /// Initializes libcurl once. Without its own signal handlers, libcurl expects that SIGPIPE is ignored.
    private static let isUsable: Bool = {
        signal(SIGPIPE, SIG_IGN)
        return curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    }()

    let pointer: UnsafeMutableRawPointer
    /// The socket of the open connection.
    private var socket: curl_socket_t?

    /// Returns `nil` when memory is short, or libcurl fails to initialize.
    init?() {
        guard Self.isUsable, let pointer = curl_easy_init() else { return nil }
        self.pointer = pointer
    }

    /// Closes the connection. libcurl says QUIT and would wait two minutes for the reply, so nothing more is received.
    deinit {
        if let socket { _ = shutdown(socket, Int32(SHUT_RD)) }
        curl_easy_cleanup(pointer)
    }

    /// Removes all options. Connections stay open.
    func reset() {
        var active: curl_socket_t = -1
        let isOpen = ccurl_get_socket(pointer, &active) == CURLE_OK && active != -1
        socket = isOpen ? active : nil
        curl_easy_reset(pointer)
    }

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
