internal import Crypto
internal import Foundation
internal import SessionTokens

/// The sign-in of an operator at the console. The operator's browser keeps it, sealed, in a cookie.
///
/// It names a management key by its hash, or a session of the operator app. Each request looks that up again, so the session
/// of the console ends with it.
package struct ConsoleSession: Sendable, Equatable {
    /// Seconds after the last request until the session ends.
    package static let idleLifetime = 30 * 60
    /// Seconds after the sign-in until the session ends, used or not.
    package static let absoluteLifetime = 12 * 3600
    /// Seconds after which a request gets a new cookie with its time.
    package static let renewalInterval = 60
    /// Seconds by which the clock of the node that wrote the cookie may have been ahead.
    private static let tolerance = 300

    /// Seconds for which a confirmation, or the sign-in, permits dangerous actions.
    package static let confirmationLifetime = 10 * 60

    /// What an operator has signed in with.
    package enum Credential: Sendable, Equatable {
        /// SHA-256 of a management key in base64url.
        case key(hash: String)
        /// The id of a session of the operator app.
        case account(session: String)
    }

    /// 256 random bits in base64url. Only the service reads it.
    package let id: String
    package let credential: Credential
    package let signedInAt: Timestamp
    /// When the operator last proved who they are.
    package private(set) var confirmedAt: Timestamp
    /// The last request, as far as the cookie says.
    package private(set) var seenAt: Timestamp

    init(id: String, credential: Credential, signedInAt: Timestamp) {
        self.id = id
        self.credential = credential
        self.signedInAt = signedInAt
        confirmedAt = signedInAt
        seenAt = signedInAt
    }

    package var endsAt: Timestamp { min(seenAt + Self.idleLifetime, signedInAt + Self.absoluteLifetime) }

    package func isLive(at now: Timestamp) -> Bool { endsAt > now && seenAt <= now + Self.tolerance }

    /// Returns the session with a new time, or `nil` while its cookie is new enough.
    package func renewed(at now: Timestamp) -> ConsoleSession? {
        guard now >= seenAt + Self.renewalInterval else { return nil }
        var renewed = self
        renewed.seenAt = now
        return renewed
    }

    /// Whether the operator has proven a short time ago who they are, so that a dangerous action needs no confirmation.
    package func isConfirmed(at now: Timestamp) -> Bool {
        confirmedAt + Self.confirmationLifetime > now && confirmedAt <= now + Self.tolerance
    }

    /// Returns the session after a confirmation.
    func confirmed(at now: Timestamp) -> ConsoleSession {
        var confirmed = self
        confirmed.confirmedAt = now
        confirmed.seenAt = now
        return confirmed
    }

    /// The token that each form of this session must contain. A page of another site cannot read it.
    package var formToken: String {
        Base64URL.encode(SHA256.hash(data: Data("prelude-session console form \(id)".utf8)))
    }
}

extension ConsoleSession {
    /// The key of the redemption that ends the session on all nodes.
    var endKey: String { "console/" + Base64URL.encode(SHA256.hash(data: Data(id.utf8))) }

    var text: String {
        let (kind, reference) =
            switch credential {
            case .key(let hash): ("key", hash)
            case .account(let session): ("account", session)
            }
        let times = [signedInAt, seenAt, confirmedAt].map { String($0.milliseconds) }
        return ([id, kind, reference] + times).joined(separator: ".")
    }

    /// - Returns: `nil` for a text of another form.
    init?(text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
        guard parts.count == 6 else { return nil }
        let times = parts[3...].compactMap { Int64($0) }.map { Timestamp(milliseconds: $0) }
        guard times.count == 3 else { return nil }
        let credential: Credential
        switch parts[1] {
        case "key": credential = .key(hash: parts[2])
        case "account": credential = .account(session: parts[2])
        default: return nil
        }
        self.init(id: parts[0], credential: credential, signedInAt: times[0])
        seenAt = times[1]
        confirmedAt = times[2]
    }
}
