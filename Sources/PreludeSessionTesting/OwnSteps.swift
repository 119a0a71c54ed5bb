import Foundation
import SessionDomain
import SessionRSA
import SessionTokens

/// The app's backend, as far as the service asks it about steps of the app's own: the key that proves them.
struct OwnSteps: Egress {
    static let keySetURL = "https://backend.test/jwks.json"
    /// Seconds for which a proof is good.
    static let lifetime: Int64 = 120

    /// Takes tenths of a second to make, so all tests of a process share one, and it is made when it is needed.
    private static let key = Task.detached { RS256SigningKey(try RSASigningKey.generate()) }

    private struct Claims: Encodable {
        let sub: String
        let challengeID: String
        let key: String
        let status = "completed"
        let jti: String
        let iat: Int64
        let nbf: Int64
        let exp: Int64

        private enum CodingKeys: String, CodingKey {
            case sub, key, status, jti, iat, nbf, exp
            case challengeID = "challenge_id"
        }
    }

    static func proof(
        of step: String, challengeID: String, user: String, tokenID: String, now: Timestamp
    ) async throws -> String {
        try JWT.sign(
            Claims(
                sub: user, challengeID: challengeID, key: step, jti: tokenID, iat: now.seconds, nbf: now.seconds,
                exp: now.seconds + lifetime),
            type: "JWT", key: try await key.value)
    }

    func send(_ request: EgressRequest) async throws(EgressError) -> EgressAnswer {
        guard request.url == Self.keySetURL else { throw .connectionFailed("the service of a unit test calls nobody") }
        do {
            let key = try await Self.key.value
            return EgressAnswer(
                status: 200, body: try JSONEncoder().encode(["keys": [key.publicKey.publishedMembers]]))
        } catch {
            throw .connectionFailed("the key that proves own steps cannot be made")
        }
    }

    func validate(url: String) throws(EgressError) {}
}
