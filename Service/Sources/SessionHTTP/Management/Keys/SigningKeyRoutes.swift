import Hummingbird
import SessionDomain

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
