internal import Foundation
package import SessionTokens

/// A change of an app's own settings. A `nil` member leaves the setting unchanged.
package struct AppSettingsChange: Sendable {
    package var name: String?
    package var domains: [String]?
    package var allowedOrigins: [String]?
    package var signUp: Bool?
    package var passwordChangeEndsOtherSessions: Bool?
    package var registersInOneStep: Bool?
    /// Seconds.
    package var newIdentifierHold: Int?
    /// The algorithm of new access-token keys.
    package var signingAlgorithm: SignatureAlgorithm?
    /// Days for which events are kept.
    package var eventRetention: Int?
    package var developmentTokens: Bool?

    package init(
        name: String? = nil, domains: [String]? = nil, allowedOrigins: [String]? = nil, signUp: Bool? = nil,
        passwordChangeEndsOtherSessions: Bool? = nil, registersInOneStep: Bool? = nil, newIdentifierHold: Int? = nil,
        signingAlgorithm: SignatureAlgorithm? = nil, eventRetention: Int? = nil, developmentTokens: Bool? = nil
    ) {
        self.name = name
        self.domains = domains
        self.allowedOrigins = allowedOrigins
        self.signUp = signUp
        self.passwordChangeEndsOtherSessions = passwordChangeEndsOtherSessions
        self.registersInOneStep = registersInOneStep
        self.newIdentifierHold = newIdentifierHold
        self.signingAlgorithm = signingAlgorithm
        self.eventRetention = eventRetention
        self.developmentTokens = developmentTokens
    }

    package func apply(to app: inout App) throws(Refusal) {
        if let name { try Self.set(DisplayName.checked(name), of: &app) }
        if let domains {
            app.domains = domains.map { $0.lowercased() }
            guard domains.count <= 20, app.domains.allSatisfy(Self.isHost), Set(app.domains).count == domains.count
            else {
                throw .invalidField(
                    "domains",
                    "must be at most 20 different bare hosts, such as session.example.com, without a dot at the end")
            }
        }
        if let allowedOrigins {
            // Earlier versions stored origins that are refused now. A form that sends them back must not fail.
            guard allowedOrigins.count <= 50,
                allowedOrigins.allSatisfy({ app.allowedOrigins.contains($0) || BrowserOrigin.isAllowed($0) }),
                Set(allowedOrigins).count == allowedOrigins.count
            else {
                throw .invalidField(
                    "allowed_origins",
                    "must be at most 50 different origins as browsers send them, such as https://app.example.com: in lower case, "
                        + "without a slash at the end, and with http for localhost and loopback addresses only")
            }
            app.allowedOrigins = allowedOrigins
        }
        if let eventRetention {
            let allowed = Retention.allowedEventDays
            guard allowed.contains(eventRetention) else {
                throw .invalidField("event_retention", "must be \(allowed.lowerBound) to \(allowed.upperBound) days")
            }
            app.eventRetention = eventRetention
        }
        if let newIdentifierHold {
            guard App.newIdentifierHolds.contains(newIdentifierHold) else {
                throw .invalidField("new_identifier_hold", "must be 0 to 2592000 seconds")
            }
            app.newIdentifierHold = newIdentifierHold
        }
        app.registersInOneStep = registersInOneStep ?? app.registersInOneStep
        app.signUp = signUp ?? app.signUp
        app.developmentTokens = developmentTokens ?? app.developmentTokens
        app.signingAlgorithm = signingAlgorithm ?? app.signingAlgorithm
        app.passwordChangeEndsOtherSessions = passwordChangeEndsOtherSessions ?? app.passwordChangeEndsOtherSessions
    }

    private static func set(_ name: String, of app: inout App) throws(Refusal) {
        // Earlier versions stored names that are refused now. A form that sends one back must not fail.
        guard name != app.name else { return }
        if let problem = LinkedName.problem(in: name) { throw .invalidField("name", problem) }
        for template in app.messages.templates { try template.checkLinks(withName: name, field: "name") }
        app.name = name
    }

    package static func isHost(_ text: String) -> Bool {
        // The longest name in DNS (RFC 1035 §2.3.4).
        guard text.utf8.count <= 253, TargetURI("https://" + text)?.origin == "https://" + text else { return false }
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        // The last label of an IPv4 address is a number.
        return labels.count > 1 && labels.allSatisfy(isLabel) && labels.last?.allSatisfy(\.isNumber) == false
    }

    /// Whether a text is a label of a host name in ASCII (RFC 1123 §2.1).
    static func isLabel(_ text: Substring) -> Bool {
        (1...63).contains(text.utf8.count) && text.first != "-" && text.last != "-"
            && text.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
            }
    }
}
