internal import Foundation
internal import SessionTokens

/// The settings of an app itself. Those of its groups, such as `limits`, have schemas of their own.
extension App: SettingsGroup {
    /// An app without an id that a caller can name, for the defaults of the settings.
    package static let defaults = App(id: .operators, name: "", createdAt: Timestamp(milliseconds: 0))
    package static var place: any WritableKeyPath<App, App> & Sendable { \.self }

    package static let schema = SettingsSchema<App>(
        "app", eventPrefix: "",
        [
            .init(
                nil,
                [
                    .text("name", \.name, "Name", hint: "Users see it in mails and messages.")
                        .checked { app, _ throws(Refusal) in try checkName(of: app) }
                ]),
            .init(
                "Web",
                [
                    .lines(
                        "allowed_origins", \.allowedOrigins, "Allowed origins (CORS)",
                        rule:
                            "at most 50 different origins as browsers send them, such as https://app.example.com: in lower "
                            + "case, without a slash at the end, and with http for localhost and loopback addresses only",
                        hint: "Origins whose pages may call this app, such as https://app.example.com. One per line."
                    ) { origins, stored in
                        // Earlier versions stored origins that are refused now. They stay, and others can be added beside them.
                        origins.count <= 50 && Set(origins).count == origins.count
                            && origins.allSatisfy { stored.contains($0) || BrowserOrigin.isAllowed($0) }
                    },
                    .lines(
                        "domains", \.domains, "Domains",
                        rule:
                            "at most 20 different bare hosts, such as session.example.com, without a dot at the end",
                        hint: "Hosts under which this app is served, such as login.example.com. One per line."
                    ) { domains, _ in
                        domains.count <= 20 && Set(domains).count == domains.count
                            && domains.allSatisfy(HostName.isValid)
                    },
                ]),
            .init(
                "Users",
                [
                    .flag(
                        "sign_up", \.signUp, "New users sign up themselves",
                        hint: "Otherwise only users whom you create can sign in."),
                    .flag(
                        "password_change_ends_other_sessions", \.passwordChangeEndsOtherSessions,
                        "A new password ends the user's other sessions"),
                    .flag(
                        "register_in_one_step", \.registersInOneStep,
                        "A session registers an identifier with one code",
                        hint: "Otherwise a code to an existing identifier comes first, unless the login is new."),
                    .number(
                        "fresh_login", \.freshLogin, from: 0, to: 3600, in: .seconds, "New login",
                        hint:
                            "For so long after it, a session registers an identifier without a code to an existing one, and "
                            + "changes passkeys without a step-up."
                    ),
                    .number(
                        "new_identifier_hold", \.newIdentifierHold, from: 0, to: 2_592_000, in: .seconds,
                        "Hold of new identifiers",
                        hint: "For so long, an identifier that a session registered opens nothing else."),
                ]),
            .init(
                "Tokens and events",
                [
                    .choice(
                        "signing_algorithm", \.signingAlgorithm, "Algorithm of access tokens",
                        [.edDSA: "EdDSA", .ed25519: "Ed25519", .es256: "ES256", .rs256: "RS256"],
                        hint: "A new one gets a key, which signs when every backend has had time to fetch it."),
                    .number("event_retention", \.eventRetention, from: 1, to: 3650, in: .days, "Events are kept"),
                    .flag(
                        "development_tokens", \.developmentTokens, "Development tokens",
                        hint: "A management key with the role write can then issue access tokens of any user without a "
                            + "login. Nothing can revoke them, so leave it off in production."),
                ]),
        ])

    private static func checkName(of app: App) throws(Refusal) {
        _ = try DisplayName.checked(app.name)
        if let problem = LinkedName.problem(in: app.name) { throw .invalidField("name", problem) }
        for template in app.messages.templates { try template.checkLinks(withName: app.name, field: "name") }
    }
}

/// The name of a host in ASCII.
package enum HostName {
    package static func isValid(_ text: String) -> Bool {
        // The longest name in DNS (RFC 1035 §2.3.4).
        guard text.utf8.count <= 253, TargetURI("https://" + text)?.origin == "https://" + text else { return false }
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        // The last label of an IPv4 address is a number.
        return labels.count > 1 && labels.allSatisfy(isLabel) && labels.last?.allSatisfy(\.isNumber) == false
    }

    /// Whether a text is a label of a host name in ASCII (RFC 1123 §2.1).
    fileprivate static func isLabel(_ text: Substring) -> Bool {
        (1...63).contains(text.utf8.count) && text.first != "-" && text.last != "-"
            && text.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
            }
    }
}

/// An origin as browsers write it into `Origin` (RFC 6454 §6.2, WHATWG URL). Origins are compared as texts, so another form of
/// the same origin would match no request.
enum BrowserOrigin {
    /// Whether a page has this origin, and may have it: with plain http, everybody on the way could change the page.
    static func isAllowed(_ text: String) -> Bool {
        guard text.utf8.count <= 270, let target = TargetURI(text), target.origin == text, isHost(target.host) else {
            return false
        }
        return text.hasPrefix("https:") || IPNetwork.isLoopback(host: target.host)
    }

    private static func isHost(_ host: String) -> Bool {
        if host.hasPrefix("[") {
            return IPNetwork.bytes(of: String(host.dropFirst().dropLast())).map(literal) == host
        }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard let last = labels.last, host.utf8.count <= 253, labels.allSatisfy(HostName.isLabel) else {
            return false
        }
        // Browsers read a name whose last label is a number as an IPv4 address.
        guard last.allSatisfy(\.isNumber) || last.hasPrefix("0x") && last.dropFirst(2).allSatisfy(\.isHexDigit) else {
            return true
        }
        return IPNetwork.bytes(of: host)?.map(String.init).joined(separator: ".") == host
    }

    /// The IPv6 address in brackets. The first of the longest runs of zeros, two at least, is left out (RFC 5952 §4.2).
    private static func literal(_ address: [UInt8]) -> String {
        let bytes = address.count == 4 ? [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + address : address
        let pieces = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        var gap = 0..<1
        for start in pieces.indices {
            let length = pieces[start...].prefix { $0 == 0 }.count
            if length > gap.count { gap = start..<start + length }
        }
        func text(_ pieces: ArraySlice<UInt16>) -> String {
            pieces.map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard gap.count > 1 else { return "[" + text(pieces[...]) + "]" }
        return "[" + text(pieces[..<gap.lowerBound]) + "::" + text(pieces[gap.upperBound...]) + "]"
    }
}
