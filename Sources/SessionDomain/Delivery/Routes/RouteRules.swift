/// A setting of a route. The raw value is its name in the management API.
package enum RouteField: String, Sendable, CaseIterable {
    case kind = "type"
    case host, port, tls, username, secret, account, url, from
    case authentication = "auth"
}

/// A setting of a route is invalid.
package struct RouteProblem: Error, Equatable {
    package let field: RouteField
    package let problem: String

    package init(_ field: RouteField, _ problem: String) {
        self.field = field
        self.problem = problem
    }
}

extension RouteSettings.Kind {
    var required: Set<RouteField> {
        switch self {
        case .smtp: [.host, .from]
        case .webhook: [.url]
        case .twilio: [.account, .secret, .from]
        case .vonage: [.username, .secret, .from]
        case .prelude: [.secret]
        }
    }

    var optional: Set<RouteField> {
        switch self {
        case .smtp: [.port, .tls, .username, .secret, .authentication]
        case .webhook: []
        case .twilio: [.username, .url]
        case .vonage: [.url]
        case .prelude: [.from, .url]
        }
    }
}

extension RouteSettings {
    /// Checks every rule that needs no network.
    ///
    /// - Parameter hasSecret: Whether there is a secret for this route.
    /// - Throws: `RouteProblem` for the first invalid setting.
    package func check(for channel: OTPLoginConfig.Channel, hasSecret: Bool) throws(RouteProblem) {
        guard channel.routeKinds.contains(kind) else {
            let kinds = channel.routeKinds.map(\.rawValue).joined(separator: ", ")
            throw RouteProblem(.kind, "must be one of \(kinds) for \(channel.rawValue)")
        }
        let present = fields(hasSecret: hasSecret)
        for field in RouteField.allCases where kind.required.contains(field) && !present.contains(field) {
            throw RouteProblem(field, "is required for a \(kind.rawValue) route")
        }
        let known = kind.required.union(kind.optional)
        for field in RouteField.allCases where present.contains(field) && !known.contains(field) {
            throw RouteProblem(field, "is not a setting of a \(kind.rawValue) route")
        }
        for (field, value) in [(RouteField.host, host), (.username, username), (.account, account), (.from, from)] {
            if let value { try Self.check(value, as: field, of: kind) }
        }
        try checkMail(hasSecret: hasSecret)
        if kind == .twilio, let username, username != account { try Self.checkSID(username, as: .username, "SK") }
    }

    /// Checks the text of one setting, whatever the other settings are.
    package static func check(_ value: String, as field: RouteField, of kind: Kind) throws(RouteProblem) {
        guard (1...320).contains(value.utf8.count), value.unicodeScalars.allSatisfy({ !$0.breaksHeader }) else {
            throw RouteProblem(field, "must have 1 to 320 bytes, without line breaks and control characters")
        }
        switch (kind, field) {
        case (.smtp, .host) where !isHost(value):
            throw RouteProblem(
                .host,
                "must be the name of a server, such as mail.example.com, or an address, without a port, a path or brackets. "
                    + "Write an international name in its xn-- form")
        case (.smtp, .from) where MailAddress(value) == nil:
            throw RouteProblem(
                .from, "must be a mail address, such as login@example.com or Example <login@example.com>")
        case (.twilio, .account): try checkSID(value, as: .account, "AC")
        default: break
        }
    }

    /// A name of letters, digits, hyphens and underscores between dots (RFC 1123 §2.1), or an address.
    private static func isHost(_ text: String) -> Bool {
        guard !IPNetwork.isAddress(text) else { return true }
        return text.utf8.count <= 253
            && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.utf8.count)
                    && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
            }
    }

    private static func checkSID(_ text: String, as field: RouteField, _ prefix: String) throws(RouteProblem) {
        let isValid =
            text.hasPrefix(prefix) && text.utf8.count == 34
            && text.dropFirst(2).allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        let name = field == .account ? "the Account SID" : "the SID of an API key"
        guard isValid else { throw RouteProblem(field, "must be \(name): \(prefix) and 32 characters") }
    }

    private func fields(hasSecret: Bool) -> Set<RouteField> {
        let values: [(RouteField, Bool)] = [
            (.host, host != nil), (.port, port != nil), (.tls, tls != nil), (.authentication, authentication != nil),
            (.username, username != nil), (.account, account != nil), (.url, url != nil), (.from, from != nil),
            (.secret, hasSecret),
        ]
        return Set(values.filter(\.1).map(\.0))
    }

    private func checkMail(hasSecret: Bool) throws(RouteProblem) {
        guard kind == .smtp else { return }
        if let port, !(1...65535).contains(port) { throw RouteProblem(.port, "must be 1 to 65535") }
        // RFC 8314 §3.3.
        if port == 465, tls == .startTLS {
            throw RouteProblem(
                .tls, "must be implicit with port 465, which expects TLS from the first byte. starttls needs port 587")
        }
        if username == nil, authentication != nil || hasSecret {
            throw RouteProblem(.username, "is required with auth and secret")
        }
        if username != nil, !hasSecret { throw RouteProblem(.secret, "is required with username") }
    }
}
