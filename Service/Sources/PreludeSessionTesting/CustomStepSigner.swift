import Foundation
import SessionDomain
import SessionRSA
import SessionTokens

/// The key with which the app's backend proves that a user has completed a step of the app's own.
enum CustomStepSigner {
    /// Where the service fetches the public key.
    static let keySetURL = "https://backend.test/jwks.json"
    /// Seconds for which a proof is valid.
    static let lifetime: Int64 = 120

    /// Generated on first use and shared by all tests of a process, because generation takes tenths of a second.
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

    /// A verification token for a completed step.
    static func proof(
        of step: String, challengeID: String, user: String, tokenID: String, now: Timestamp
    ) async throws -> String {
        try JWT.sign(
            Claims(
                sub: user, challengeID: challengeID, key: step, jti: tokenID, iat: now.seconds, nbf: now.seconds,
                exp: now.seconds + lifetime),
            type: "JWT", key: try await key.value)
    }

    /// Publishes the key set (RFC 7517 §5) at `keySetURL`.
    static func publish(at endpoints: OperatorEndpoints) {
        endpoints.serve(keySetURL) { _ throws(EgressError) in
            do {
                let key = try await Self.key.value
                return EgressAnswer(
                    status: 200, body: try JSONEncoder().encode(["keys": [key.publicKey.publishedMembers]]))
            } catch {
                throw EgressError.connectionFailed("the key that proves custom steps cannot be generated")
            }
        }
    }
}
