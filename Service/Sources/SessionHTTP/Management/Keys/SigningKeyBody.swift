import SessionDomain

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

struct SigningKeyListBody: Encodable {
    let signingKeys: [SigningKeyBody]

    private enum CodingKeys: String, CodingKey { case signingKeys = "signing_keys" }
}

struct RotateSigningKeysBody: Decodable {
    /// Absent for all purposes.
    let purpose: String?
    let emergency: Bool?
}
