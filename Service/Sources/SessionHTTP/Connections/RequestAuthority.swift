/// Decides which host a request of HTTP/2 names (RFC 9113 §8.3.1).
package enum RequestAuthority {
    /// Returns the value that `Host` must have in HTTP/1.1.
    ///
    /// - Parameters:
    ///   - authorities: The values of `:authority`.
    ///   - hosts: The values of `Host`. It is used if there is no `:authority`.
    ///   - scheme: The value of `:scheme`. Its default port may be written or not.
    /// - Throws: `InvalidRequest` if the request names no host, more than one, or different ones.
    package static func host(
        authorities: [String], hosts: [String], scheme: String
    ) throws(InvalidRequest) -> String {
        guard hosts.count <= 1 else { throw InvalidRequest("Host must not be repeated") }
        guard authorities.count <= 1 else { throw InvalidRequest(":authority must not be repeated") }
        // A client that translates a request without a host writes no `:authority`. An empty one has no meaning.
        guard let authority = authorities.first ?? hosts.first, !authority.isEmpty else {
            throw InvalidRequest(":authority is missing")
        }
        if let host = hosts.first, normalized(host, scheme) != normalized(authority, scheme) {
            throw InvalidRequest(":authority and Host must name the same host")
        }
        return authority
    }

    /// A host for comparison: in lower case, without the default port.
    private static func normalized(_ host: String, _ scheme: String) -> String {
        let host = host.lowercased()
        let port = scheme.lowercased() == "http" ? ":80" : ":443"
        return host.hasSuffix(port) ? String(host.dropLast(port.count)) : host
    }
}

/// A request that is malformed. The client gets 400 with the text.
package struct InvalidRequest: Error, Equatable {
    package let text: String

    package init(_ text: String) { self.text = text }
}

/// A request that a handler before `ConnectionHandler` has rejected. It is sent as an event instead of the request.
package struct RejectedRequest: Sendable {
    package enum Reason: Sendable, Equatable {
        case malformed(InvalidRequest)
        /// The connection has a place of the reserve, for health checks only.
        case tooManyConnections
    }

    let reason: Reason
    /// Whether the method is HEAD. Then the response has no body.
    let isHead: Bool

    package init(_ reason: Reason, isHead: Bool) {
        self.reason = reason
        self.isHead = isHead
    }
}
