import Hummingbird
import SessionDomain
import SessionWire

/// The management keys of one app in the management API.
struct ManagementKeyRoutes: Sendable {
    let keys: ManagementKeys

    @Sendable func list(_ request: Request, context: OperatorContext) async throws -> Response {
        try .json(ManagementKeyListBody(keys: try await keys.all(of: context.appID).map { ManagementKeyBody($0) }))
    }

    @Sendable func create(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decodeExactly(CreateManagementKeyBody.self)
        let (key, secret) = try await keys.create(
            name: body.name, app: context.appID, role: try body.checkedRole(), expiresAt: try body.expiry(),
            by: context.managementKey)
        return try .json(ManagementKeyBody(key, secret: secret), status: .created)
    }

    /// Replaces a key by one with another secret. The old secret is invalid at once.
    @Sendable func rotate(_ request: Request, context: OperatorContext) async throws -> Response {
        let (key, secret) = try await keys.rotate(
            id: Self.id(context), of: context.appID, by: context.managementKey)
        return try .json(ManagementKeyBody(key, secret: secret), status: .created)
    }

    @Sendable func revoke(_ request: Request, context: OperatorContext) async throws -> Response {
        try await keys.revoke(id: Self.id(context), of: context.appID)
        return .noContent
    }

    private static func id(_ context: OperatorContext) -> String { context.parameters.get("key_id") ?? "" }
}

/// A management key as the management API shows it.
struct ManagementKeyBody: Encodable {
    let id: String
    let name: String
    let role: String
    let createdBy: String?
    let createdAt: String
    let expiresAt: String?
    let lastUsedAt: String?
    /// The value of the key. Only the response that creates or rotates it contains it.
    let key: String?

    private enum CodingKeys: String, CodingKey {
        case id, name, role, key
        case createdBy = "created_by"
        case createdAt = "created_at"
        case expiresAt = "expires_at"
        case lastUsedAt = "last_used_at"
    }

    init(_ stored: ManagementKey, secret: String? = nil) {
        id = stored.id
        name = stored.name
        role = stored.role.rawValue
        createdBy = stored.createdBy?.publicName
        createdAt = stored.createdAt.rfc3339
        expiresAt = stored.expiresAt?.rfc3339
        lastUsedAt = stored.lastUsedAt?.rfc3339
        key = secret
    }
}

private struct ManagementKeyListBody: Encodable { let keys: [ManagementKeyBody] }

struct CreateManagementKeyBody: Decodable {
    let name: String
    let role: String?
    let expiresAt: String?

    private enum CodingKeys: String, CodingKey {
        case name, role
        case expiresAt = "expires_at"
    }

    /// - Throws: `Refusal.invalidField`.
    func checkedRole() throws(Refusal) -> ManagementKey.Role {
        guard let role else { return .write }
        guard let known = ManagementKey.Role(rawValue: role) else {
            throw .invalidField("role", "must be read or write")
        }
        return known
    }

    /// - Throws: `Refusal.invalidField`.
    func expiry() throws(Refusal) -> Timestamp? {
        guard let expiresAt else { return nil }
        guard let time = Timestamp(rfc3339: expiresAt) else {
            throw .invalidField("expires_at", "must be a time such as 2027-01-01T12:00:00Z")
        }
        return time
    }
}

/// The user, scopes and lifetime of a development token.
struct DevelopmentTokenBody: Decodable {
    let userID: String
    let scopes: [String]?
    /// Seconds.
    let lifetime: Int?

    private enum CodingKeys: String, CodingKey {
        case scopes, lifetime
        case userID = "user_id"
    }
}

/// Access tokens without a login, for operators who try their backend.
struct DevelopmentTokenRoutes: Sendable {
    let tokens: DevelopmentTokens

    @Sendable func create(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decodeExactly(DevelopmentTokenBody.self)
        let issued = try await tokens.issue(
            user: body.userID, app: context.appID, scopes: body.scopes ?? [], lifetime: body.lifetime)
        return try .json(
            TokenResponse(
                accessToken: issued.accessToken, expiresAt: issued.expiresAt.seconds, tokenType: "Bearer"),
            status: .created)
    }
}

/// The signing keys of an app in the management API.
struct SigningKeyRoutes: Sendable {
    let keys: SigningKeys

    @Sendable func list(_ request: Request, context: OperatorContext) async throws -> Response {
        try await response(context)
    }

    /// Creates successors for the keys of one purpose or of all. Does nothing while a successor already waits.
    @Sendable func rotate(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decodeExactly(RotateSigningKeysBody.self)
        var purposes = StoredSigningKey.Purpose.allCases
        if let name = body.purpose {
            guard let purpose = StoredSigningKey.Purpose(rawValue: name) else {
                throw Refusal.invalidField("purpose", "must be access, challenge or hook, or left out for all")
            }
            purposes = [purpose]
        }
        for purpose in purposes {
            try await keys.rotate(
                purpose, of: context.appID, reason: body.emergency == true ? .emergency : .request)
        }
        return try await response(context)
    }

    private func response(_ context: OperatorContext) async throws -> Response {
        let all = try await keys.all(of: context.appID)
        return try .json(SigningKeyListBody(signingKeys: all.map { SigningKeyBody($0.key, $0.state) }))
    }
}

/// A signing key as the management API shows it, without its private key.
struct SigningKeyBody: Encodable {
    let keyID: String
    let purpose: String
    let algorithm: String
    let state: String
    let createdAt: String
    let activeFrom: String
    let retiresAt: String?
    let removeAfter: String?

    private enum CodingKeys: String, CodingKey {
        case purpose, algorithm, state
        case keyID = "key_id"
        case createdAt = "created_at"
        case activeFrom = "active_from"
        case retiresAt = "retires_at"
        case removeAfter = "remove_after"
    }

    init(_ key: StoredSigningKey, _ state: KeySchedule.State) {
        keyID = key.keyID
        purpose = key.purpose.rawValue
        algorithm = key.algorithm.rawValue
        self.state = state.rawValue
        createdAt = key.createdAt.rfc3339
        activeFrom = key.activeFrom.rfc3339
        retiresAt = key.retiresAt?.rfc3339
        removeAfter = key.removeAfter?.rfc3339
    }
}

private struct SigningKeyListBody: Encodable {
    let signingKeys: [SigningKeyBody]

    private enum CodingKeys: String, CodingKey { case signingKeys = "signing_keys" }
}

struct RotateSigningKeysBody: Decodable {
    /// Absent for all purposes.
    let purpose: String?
    let emergency: Bool?
}
