package import SessionDomain

extension PostgresStore: LoginStore {
    package func verification(tokenHash: String, app: AppID) async throws -> Verification? {
        let verification = Statement(
            "SELECT \(Verification.columns) FROM verifications WHERE app_id = $1 AND token_hash = $2", [app, tokenHash])
        return try await read([verification]) { try $0[0].first(Verification.init(reading:)) }
    }
}
