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
        scopes: [String] = [], device: Device, createdAt: Timestamp, lastSeenAt: Timestamp? = nil,
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
