internal import Foundation

/// A backend's request for a step-up: the token is valid but lacks a scope (RFC 9470 §3).
enum StepUpRequirement {
    static let error = "insufficient_user_authentication"

    /// Whether a `WWW-Authenticate` challenge asks for a step-up.
    static func asksForStepUp(in challenge: String) -> Bool {
        challenge.contains("error=\"\(error)\"") || challenge.contains("error=\(error)")
    }

    /// The first scope that a challenge asks for; `nil` if it asks for none.
    static func scope(in challenge: String) -> String? {
        guard asksForStepUp(in: challenge) else { return nil }
        // A scope contains no quotes and no spaces (RFC 6749 §3.3), so the next quote ends the list.
        guard let start = challenge.range(of: "scope=\"") else { return nil }
        return challenge[start.upperBound...].prefix { $0 != "\"" }.split(separator: " ").first.map(String.init)
    }
}
