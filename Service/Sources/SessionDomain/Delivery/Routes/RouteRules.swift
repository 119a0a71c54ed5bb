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
    package var required: Set<RouteField> {
        switch self {
        case .smtp: [.host, .from]
        case .webhook: [.url]
        case .twilio: [.account, .secret, .from]
        case .vonage: [.username, .secret, .from]
        case .prelude: [.secret]
        }
    }

    package var optional: Set<RouteField> {
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
        if let first = problems(for: channel, hasSecret: hasSecret).first { throw first }
    }

    /// Returns what is wrong by the rules that need no network, at most one problem for each setting.
    ///
    /// - Parameter hasSecret: Whether there is a secret for this route.
    package func problems(for channel: OTPLoginConfig.Channel, hasSecret: Bool) -> [RouteProblem] {
        guard channel.routeKinds.contains(kind) else {
            let kinds = channel.routeKinds.map(\.rawValue).joined(separator: ", ")
            return [RouteProblem(.kind, "must be one of \(kinds) for \(channel.rawValue)")]
        }
        let found = problemsOfPresence(hasSecret: hasSecret) + problemsOfText + problemsOfKind(hasSecret: hasSecret)
        return found.enumerated().filter { index, problem in !found[..<index].contains { $0.field == problem.field } }
            .map(\.element)
    }

    private func problemsOfPresence(hasSecret: Bool) -> [RouteProblem] {
        let present = fields(hasSecret: hasSecret)
        let known = kind.required.union(kind.optional)
        let missing = RouteField.allCases.filter { kind.required.contains($0) && !present.contains($0) }
        let unknown = RouteField.allCases.filter { present.contains($0) && !known.contains($0) }
        return missing.map { RouteProblem($0, "is required for a \(kind.rawValue) route") }
            + unknown.map { RouteProblem($0, "is not a setting of a \(kind.rawValue) route") }
    }

    private func fields(hasSecret: Bool) -> Set<RouteField> {
        let values: [(RouteField, Bool)] = [
            (.host, host != nil), (.port, port != nil), (.tls, tls != nil), (.authentication, authentication != nil),
            (.username, username != nil), (.account, account != nil), (.url, url != nil), (.from, from != nil),
            (.secret, hasSecret),
        ]
        return Set(values.filter(\.1).map(\.0))
    }

    private var problemsOfText: [RouteProblem] {
        [(RouteField.host, host), (.username, username), (.account, account), (.from, from)].compactMap {
            field, value in
            value.flatMap { Self.problem(with: $0, as: field, of: kind) }
        }
    }

    /// Returns what is wrong with the text of one setting, whatever the other settings are.
    package static func problem(with text: String, as field: RouteField, of kind: Kind) -> RouteProblem? {
        guard (1...320).contains(text.utf8.count), text.unicodeScalars.allSatisfy({ !$0.breaksHeader }) else {
            return RouteProblem(field, "must have 1 to 320 bytes, without line breaks and control characters")
        }
        return switch (kind, field) {
        case (.smtp, .host) where !isHost(text):
            RouteProblem(
                .host,
                "must be the name of a server, such as mail.example.com, or an address, without a port, a path or brackets. "
                    + "Write an international name in its xn-- form")
        case (.smtp, .from) where MailAddress(text) == nil:
            RouteProblem(.from, "must be a mail address, such as login@example.com or Example <login@example.com>")
        case (_, .from):
            LinkedName.problem(inSender: text, isMail: [.smtp, .prelude].contains(kind)).map { RouteProblem(.from, $0) }
        case (.twilio, .account) where !isSID(text, "AC"):
            RouteProblem(.account, "must be the Account SID: AC and 32 characters")
        default: nil
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

    private static func isSID(_ text: String, _ prefix: String) -> Bool {
        text.hasPrefix(prefix) && text.utf8.count == 34
            && text.dropFirst(2).allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    private func problemsOfKind(hasSecret: Bool) -> [RouteProblem] {
        switch kind {
        case .smtp: problemsOfMail(hasSecret: hasSecret)
        case .twilio: problemsOfTwilio
        case .webhook, .vonage, .prelude: []
        }
    }

    private func problemsOfMail(hasSecret: Bool) -> [RouteProblem] {
        var problems: [RouteProblem] = []
        if let port, !(1...65535).contains(port) { problems.append(RouteProblem(.port, "must be 1 to 65535")) }
        // RFC 8314 §3.3.
        if port == 465, tls == .startTLS {
            problems.append(
                RouteProblem(
                    .tls,
                    "must be implicit with port 465, which expects TLS from the first byte. starttls needs port 587"))
        }
        if username == nil, authentication != nil || hasSecret {
            problems.append(RouteProblem(.username, "is required with auth and secret"))
        }
        if username != nil, !hasSecret { problems.append(RouteProblem(.secret, "is required with username")) }
        return problems
    }

    private var problemsOfTwilio: [RouteProblem] {
        guard let username, username != account, !Self.isSID(username, "SK") else { return [] }
        return [RouteProblem(.username, "must be the SID of an API key: SK and 32 characters")]
    }
}
