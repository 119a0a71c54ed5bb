internal import SessionTokens

/// One signed-in device, stored as one row. Its generation decides which refresh token is valid.
package struct Session: Sendable, Equatable {
    /// `ses_` and a ULID, new for every challenge of a login.
    package let id: String
    package let appID: AppID
    package let userID: String
    /// Counts rotations. The refresh token of this generation is unused.
    package var generation: Int64
    /// RFC 7638 thumbprint of the DPoP key that was pinned at login. `nil` for a browser without a key.
    package let keyThumbprint: String?
    /// The replay key of the proof that made this generation.
    package var lastProof: String?
    /// The attempt ids of the last rotations, as hashes.
    package var attempts: RotationAttempts
    /// Whether this client was given a nonce and must use one from then on (RFC 9449 §11.3).
    package var demandsNonce: Bool
    /// How the user signed in. `nil` for a session of an older version.
    package let method: LoginMethod?
    /// Scopes of every access token of this session.
    package var scopes: [String]
    package var device: Device
    package let createdAt: Timestamp
    package var lastSeenAt: Timestamp
    package var rotatedAt: Timestamp
    /// The generation at the start of the nonce window in which the session last rotated.
    package var settledGeneration: Int64
    package var idleExpiresAt: Timestamp
    package let absoluteExpiresAt: Timestamp
    package var revokedAt: Timestamp?

    package init(
        id: String, appID: AppID, userID: String, generation: Int64 = 0, keyThumbprint: String?,
        lastProof: String? = nil, attempts: RotationAttempts = RotationAttempts(), demandsNonce: Bool = false,
        method: LoginMethod? = nil, scopes: [String] = [], device: Device, createdAt: Timestamp,
        lastSeenAt: Timestamp? = nil,
        rotatedAt: Timestamp? = nil, settledGeneration: Int64 = 0, idleExpiresAt: Timestamp,
        absoluteExpiresAt: Timestamp, revokedAt: Timestamp? = nil
    ) {
        self.id = id
        self.appID = appID
        self.userID = userID
        self.generation = generation
        self.keyThumbprint = keyThumbprint
        self.lastProof = lastProof
        self.attempts = attempts
        self.demandsNonce = demandsNonce
        self.method = method
        self.scopes = scopes
        self.device = device
        self.createdAt = createdAt
        self.lastSeenAt = lastSeenAt ?? createdAt
        self.rotatedAt = rotatedAt ?? createdAt
        self.settledGeneration = settledGeneration
        self.idleExpiresAt = idleExpiresAt
        self.absoluteExpiresAt = absoluteExpiresAt
        self.revokedAt = revokedAt
    }

    /// When the session and its refresh token expire.
    package var expiresAt: Timestamp { min(idleExpiresAt, absoluteExpiresAt) }

    /// The generation when the current nonce window began.
    func generation(atStartOf window: Timestamp) -> Int64 { rotatedAt < window ? generation : settledGeneration }

    package func isLive(at now: Timestamp) -> Bool { revokedAt == nil && expiresAt > now }
}

/// The device of a session, as it is shown. Unknown values are empty.
package struct Device: Sendable, Equatable, Codable {
    /// `X-Device-Id`, a lower-case UUID.
    package var id: String?
    package var model: String
    /// `desktop`, `mobile`, `tablet` or `unknown`.
    package var type: String
    package var osVersion: String
    package var countryCode: String

    package init(
        id: String? = nil, model: String = "", type: String = "unknown", osVersion: String = "",
        countryCode: String = ""
    ) {
        self.id = id
        self.model = model
        self.type = type
        self.osVersion = osVersion
        self.countryCode = countryCode
    }
}

/// The reason of a revocation, as events report it.
package enum RevocationReason: String, Sendable {
    case logout
    case revokedByUser = "revoked_by_user"
    case revokedByOperator = "revoked_by_operator"
    case replacedByLogin = "replaced_by_login"
    case refreshTokenReused = "refresh_token_reused"
    case userInactive = "user_inactive"
    case passwordChanged = "password_changed"
    case sessionLimit = "session_limit"
}

extension Session {
    /// When the session may be deleted: some time after its revocation or expiry, whichever comes first.
    package var keptUntil: Timestamp { min(revokedAt ?? expiresAt, expiresAt) + Retention.endedSessions }
}

/// The attempt ids of a session's last rotations, as hashes. They tell a repeated or late request of the same device from a
/// second holder of its key and token.
///
/// An id that was copied from the database does not fit any proof, because only its hash is stored.
package struct RotationAttempts: Sendable, Equatable {
    /// The number of rotations before the last one whose ids are remembered.
    package static let maximumEarlier = 8
    /// Characters of a hash that are kept of an earlier rotation: 48 bits.
    package static let shortLength = 8

    /// The hash of the last rotation's id. `nil` if its proof had none.
    package private(set) var last: String?
    /// The short forms of the ids before it, newest first, as stores keep them (`StoredWords`). Each rotation writes them, and
    /// almost none reads them.
    package private(set) var earlierWords: String

    package init(last: String? = nil, earlier: [String] = []) {
        self.init(last: last, earlierWords: StoredWords.text(of: Array(earlier.prefix(Self.maximumEarlier))))
    }

    /// The attempts of a stored session.
    package init(last: String?, earlierWords: String) {
        self.last = last
        self.earlierWords = earlierWords
    }

    package var earlier: [String] { StoredWords.read(earlierWords) }

    /// The hash under which an attempt id is stored and compared.
    package static func hash(_ attempt: String) -> String { DPoPProof.accessTokenHash(attempt) }

    /// Whether this is the hash of the last rotation's id, or of one of those before it.
    func contains(_ hash: String) -> Bool { hash == last || earlier.contains(String(hash.prefix(Self.shortLength))) }

    /// The attempts after one more rotation.
    func adding(_ hash: String?) -> RotationAttempts {
        guard let last else { return RotationAttempts(last: hash, earlierWords: earlierWords) }
        var words = String(last.prefix(Self.shortLength))
        let kept = firstWords(Self.maximumEarlier - 1)
        if !kept.isEmpty {
            words += " "
            words += kept
        }
        return RotationAttempts(last: hash, earlierWords: words)
    }

    private func firstWords(_ count: Int) -> Substring {
        var spaces = 0
        let end = earlierWords.utf8.firstIndex { byte in
            if byte == UInt8(ascii: " ") { spaces += 1 }
            return spaces == count
        }
        return earlierWords[..<(end ?? earlierWords.endIndex)]
    }
}

/// Words without spaces in one column of a store, with a space between them, as in a `scope` claim.
///
/// Each refresh reads and writes such columns. To split and to join characters costs ten times as much.
package enum StoredWords {
    package static func read(_ text: String) -> [String] {
        if text.isEmpty { return [] }
        return text.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
    }

    package static func text(of words: [String]) -> String {
        guard let first = words.first else { return "" }
        return words.dropFirst().reduce(into: first) { text, word in
            text += " "
            text += word
        }
    }
}

/// The sessions of a user that a list shows, by their devices. A `nil` member does not restrict them.
package struct SessionFilter: Sendable, Equatable {
    /// What `Device.type` can be.
    package static let deviceTypes = ["desktop", "mobile", "tablet", "unknown"]

    package var deviceID: String?
    package var deviceType: String?
    package var countryCode: String?

    package init(deviceID: String? = nil, deviceType: String? = nil, countryCode: String? = nil) {
        self.deviceID = deviceID
        self.deviceType = deviceType
        self.countryCode = countryCode
    }
}

extension SessionStore {
    /// All live sessions of one user, last seen first.
    package func sessions(
        of userID: String, app: AppID, now: Timestamp, limit: Int, offset: Int
    ) async throws -> (sessions: [Session], total: Int) {
        try await sessions(of: userID, app: app, filter: SessionFilter(), now: now, limit: limit, offset: offset)
    }

    /// All live sessions of one user, last seen first, after a place.
    package func sessions(
        of userID: String, app: AppID, now: Timestamp, after place: ListPlace, limit: Int
    ) async throws -> [Session] {
        try await sessions(of: userID, app: app, filter: SessionFilter(), now: now, after: place, limit: limit)
    }
}

/// A scope that was granted in addition to those of the login.
package struct Grant: Sendable, Equatable {
    /// `grt_` and a ULID.
    package let id: String
    package let appID: AppID
    package let userID: String
    /// The session that completed the step-up.
    package let sessionID: String
    package let scope: String
    package let mode: GrantMode
    /// The generation of the session whose access token carries a single-use grant.
    package let generation: Int64
    package let expiresAt: Timestamp

    package init(
        id: String, appID: AppID, userID: String, sessionID: String, scope: String, mode: GrantMode,
        generation: Int64, expiresAt: Timestamp
    ) {
        self.id = id
        self.appID = appID
        self.userID = userID
        self.sessionID = sessionID
        self.scope = scope
        self.mode = mode
        self.generation = generation
        self.expiresAt = expiresAt
    }

    /// Whether the session's access tokens carry the scope at this time.
    package func covers(_ session: Session, at now: Timestamp) -> Bool {
        guard appID == session.appID, userID == session.userID, expiresAt > now else {
            return false
        }
        switch mode {
        case .singleUse: return sessionID == session.id && generation == session.generation
        case .sessionBound: return sessionID == session.id
        case .profileBound: return true
        }
    }

    /// Whether the grant can be deleted, because it never covers a token again.
    package func isSpent(for session: Session, at now: Timestamp) -> Bool {
        if expiresAt <= now { return true }
        return mode == .singleUse && sessionID == session.id && generation < session.generation
    }
}

package enum GrantMode: String, Sendable, Codable, CaseIterable {
    /// One access token, until the next refresh or the call that consumes it.
    case singleUse = "single-use"
    /// Every access token of the session.
    case sessionBound = "session-bound"
    /// Every access token of every session of the user.
    case profileBound = "profile-bound"
}

/// The syntax of a scope: `^[a-zA-Z0-9.\-_:]+$`, at most 128 characters.
package enum Scope {
    package static func isWellFormed(_ scope: String) -> Bool {
        (1...128).contains(scope.utf8.count)
            && scope.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
                    UInt8(ascii: ":"):
                    true
                default: false
                }
            }
    }
}

/// Scopes that the service itself requires.
package enum ReservedScope {
    private static let prefix = "prld:"
    /// Change the password.
    package static let writePassword = "prld:pwd:write"
    /// Register, rename and delete passkeys.
    package static let writePasskey = "prld:passkey:write"
    /// Add a phone number to the user.
    package static let registerPhone = "prld:phone:register"
    /// Add an e-mail address to the user.
    package static let registerEmail = "prld:email:register"

    /// Whether a scope has the prefix of the service. An operator cannot define such a scope.
    package static func isReserved(_ scope: String) -> Bool { scope.hasPrefix(prefix) }

    /// The kind of identifier that a scope registers; `nil` for every other scope.
    package static func registered(by scope: String) -> IdentifierType? {
        switch scope {
        case registerPhone: .phoneNumber
        case registerEmail: .emailAddress
        default: nil
        }
    }

    /// Seconds for which a reserved scope of a login lasts. Other scopes of a login last as long as the session.
    package static let lifetimeFromLogin = 600
}
