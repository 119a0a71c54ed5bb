import Foundation
package import SessionDomain
import SessionRSA
import SessionTokens
import Synchronization

/// The HTTPS endpoints of operators that the service calls: hooks, webhooks and key sets. A test supplies the answers.
package final class OperatorEndpoints: Egress {
    package typealias Handler = @Sendable (EgressRequest) async throws(EgressError) -> EgressAnswer

    private struct State {
        var handlers: [String: Handler] = [:]
        var requests: [EgressRequest] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Every request of the service, oldest first.
    package var requests: [EgressRequest] { state.withLock { $0.requests } }

    /// Answers requests whose URL starts with a prefix.
    package func serve(_ prefix: String, _ handler: @escaping Handler) {
        state.withLock { $0.handlers[prefix] = handler }
    }

    package func serve(_ prefix: String, json: String, status: Int = 200) {
        serve(prefix) { _ throws(EgressError) in EgressAnswer(status: status, body: Data(json.utf8)) }
    }

    package func send(_ request: EgressRequest) async throws(EgressError) -> EgressAnswer {
        let handler = state.withLock { state in
            state.requests.append(request)
            return state.handlers.first { request.url.hasPrefix($0.key) }?.value
        }
        guard let handler else { throw .connectionFailed("the test serves no endpoint at this URL") }
        return try await handler(request)
    }

    package func validate(url: String) throws(EgressError) {
        guard url.hasPrefix("https://") else { throw .refusedURL("must begin with https://") }
    }
}

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
