internal import Foundation

/// What a backend says when a token is good and a step-up is missing (RFC 9470 §3).
enum StepUpRequirement {
    static let error = "insufficient_user_authentication"

    /// Whether a challenge (`WWW-Authenticate`) says so.
    static func isNamed(in challenge: String) -> Bool {
        challenge.contains("error=\"\(error)\"") || challenge.contains("error=\(error)")
    }

    /// The scope that a challenge asks for, the first if it names several; `nil` when it asks for none.
    static func scope(in challenge: String) -> String? {
        guard isNamed(in: challenge) else { return nil }
        // A scope has no quotes and no spaces (RFC 6749 §3.3), so the first quote after it is its end.
        guard let start = challenge.range(of: "scope=\"") else { return nil }
        return challenge[start.upperBound...].prefix { $0 != "\"" }.split(separator: " ").first.map(String.init)
    }
}
