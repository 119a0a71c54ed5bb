import HTTPTypes
import Hummingbird
import SessionDomain

/// The signing keys of an app, through the management API. Private halves are never shown.
struct SigningKeyRoutes: Sendable {
    let keys: SigningKeys

    private struct Body: Encodable {
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

    private struct KeyList: Encodable {
        let signingKeys: [Body]

        private enum CodingKeys: String, CodingKey { case signingKeys = "signing_keys" }
    }

    struct RotateBody: Decodable {
        let purpose: String?
        let emergency: Bool?
    }

    @Sendable func list(_ request: Request, context: OperatorContext) async throws -> Response {
        try await answer(context)
    }

    /// Gives the keys of one purpose, or of all, a successor; asking again while one waits for its turn changes nothing.
    @Sendable func rotate(_ request: Request, context: OperatorContext) async throws -> Response {
        let body = try await request.decode(RotateBody.self)
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
        return try await answer(context)
    }

    private func answer(_ context: OperatorContext) async throws -> Response {
        try .json(KeyList(signingKeys: try await keys.all(of: context.appID).map { Body($0.key, $0.state) }))
    }
}
