internal import SessionTokens

/// Reads the tokens with which an operator's backend confirms a custom step. They are signed with RS256 by a key of its
/// `jwks_url`.
struct CustomSteps: Sendable {
    let operatorKeys: OperatorKeys

    private struct Claims: Decodable {
        let sub: String
        let exp: Int64
        let nbf: Int64
        let iat: Int64
        let jti: String
        let challengeID: String
        let key: String
        let status: String

        private enum CodingKeys: String, CodingKey {
            case sub, exp, nbf, iat, jti, key, status
            case challengeID = "challenge_id"
        }
    }

    /// Seconds by which the operator's clock may differ.
    private static let leeway: Int64 = 60
    /// Maximum seconds until such a token expires. It bounds how long tokens are remembered.
    private static let maximumLifetime: Int64 = 86_400

    /// - Throws: `Refusal.invalidStepToken` with the reason; `.stepNotCompleted` for another status.
    func read(_ token: String, config: StepUpConfig, now: Timestamp) async throws -> CustomStepReport {
        guard let url = config.jwksURL else { throw Refusal.invalidStepToken("cannot be checked without a jwks_url") }
        let verified = try await operatorKeys.verify(token, keysAt: url, now: now)
        guard let claims = try? verified.claims(as: Claims.self) else {
            throw Refusal.invalidStepToken("lacks sub, exp, nbf, iat, jti, challenge_id, key or status")
        }
        // A claim can be any integer, so the sums use our own numbers and cannot overflow.
        guard claims.exp > now.seconds - Self.leeway else { throw Refusal.invalidStepToken("has expired") }
        guard claims.nbf <= now.seconds + Self.leeway, claims.iat <= now.seconds + Self.leeway else {
            throw Refusal.invalidStepToken("is not valid yet")
        }
        guard claims.exp <= now.seconds + Self.maximumLifetime else {
            throw Refusal.invalidStepToken("must expire within a day")
        }
        guard (1...256).contains(claims.jti.utf8.count) else { throw Refusal.invalidStepToken("has no usable jti") }
        guard claims.status == ChallengeClaims.completed else { throw Refusal.stepNotCompleted }
        return CustomStepReport(
            userID: claims.sub, challengeID: claims.challengeID, stepKey: claims.key, tokenID: claims.jti,
            expiresAt: Timestamp(seconds: claims.exp + Self.leeway))
    }
}
