import NIOHTTP1

/// What a request asks of its connection.
extension HTTPRequestHead {
    /// Whether no further request can be read after this one.
    ///
    /// NIO's decoder expects another protocol after `Upgrade` and CONNECT (RFC 9110 §7.8, §9.3.6). It keeps all further bytes
    /// and decodes none. The service has no other protocol, so it answers as if nothing was asked, and closes.
    var isLast: Bool { !isKeepAlive || method == .CONNECT || asksForUpgrade }

    /// Whether the client may wait for 100 before it sends the body (RFC 9110 §10.1.1).
    var expectsContinue: Bool {
        (hasBody || version.major > 1) && headers["expect"].contains { $0.lowercased() == "100-continue" }
    }

    /// Whether a body follows in HTTP/1.1. HTTP/1.0 has no 100.
    private var hasBody: Bool {
        version == .http1_1
            && (headers.contains(name: "transfer-encoding") || headers["content-length"].contains { $0 != "0" })
    }

    private var asksForUpgrade: Bool {
        headers.contains(name: "upgrade")
            && headers[canonicalForm: "connection"].contains { $0.lowercased() == "upgrade" }
    }
}
