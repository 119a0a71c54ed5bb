import Foundation
import HTTPTypes
import Testing

@testable import PreludeSession

@Suite("The exchange of a refresh token")
struct RefreshExchangeTests {
    /// An input of the state machine.
    enum Input: Sendable {
        case success, offline, timeout, keyLost, storageUnavailable, newKey, sameKey
        /// The attempt is stored.
        case prepared
        /// The store has the same refresh token, or another one.
        case sameToken, otherToken
        /// A response of a proxy with this status.
        case foreign(Int, retryAfter: Int? = nil)
        case error(Int, String)

        var answer: Result<APIResponse, any Error> {
            switch self {
            case .offline: .failure(PreludeSessionError.network(underlying: URLError(.notConnectedToInternet)))
            case .timeout: .failure(PreludeSessionError.timeout)
            case .keyLost: .failure(PreludeSessionError.deviceKeyLost("lost"))
            case .storageUnavailable: .failure(PreludeSessionError.storageUnavailable("locked"))
            case .foreign(let status, let retryAfter): .failure(Self.response(status, "<html>", retryAfter))
            case .error(let status, let code):
                .failure(Self.response(status, #"{"code":"\#(code)","message":"m"}"#, nil))
            case .success, .newKey, .sameKey, .prepared, .sameToken, .otherToken:
                .success(APIResponse(status: 200, fields: [:], body: Data()))
            }
        }

        private static func response(_ status: Int, _ body: String, _ retryAfter: Int?) -> ErrorResponse {
            var fields = HTTPFields()
            fields[.retryAfter] = retryAfter.map(String.init)
            return ErrorResponse(
                APIResponse(status: status, fields: fields, body: Data(body.utf8)),
                now: Date(timeIntervalSince1970: 0))
        }
    }

    private static func name(_ step: RefreshExchange.Step) -> String {
        switch step {
        case .prepareAttempt(let isReplacing): isReplacing ? "new attempt" : "attempt"
        case .readSession: "read"
        case .send: "send"
        case .finish(.superseded): "superseded"
        case .repeatRequest: "repeat"
        case .reloadKey: "reload"
        case .finish(.answered): "answered"
        case .finish(.challengeRejected(let error)): "rejected \(name(error))"
        case .finish(.challengeFailed(let error)): "challenge failed \(name(error))"
        case .finish(.sessionEnded(let reason, let error)): "ended \(reason.rawValue) \(name(error))"
        case .finish(.failed(let error)): "failed \(name(error))"
        }
    }

    private static func name(_ error: any Error) -> String { "\(error)".prefix { $0 != "(" }.description }

    private func steps(_ inputs: [Input], carriesChallenge: Bool) -> [String] {
        var exchange = RefreshExchange(carriesChallenge: carriesChallenge)
        return inputs.map { input in
            switch input {
            case .prepared: Self.name(exchange.prepared())
            case .sameToken: Self.name(exchange.readSession(isSame: true))
            case .otherToken: Self.name(exchange.readSession(isSame: false))
            case .newKey: Self.name(exchange.reloadedKey(isNew: true))
            case .sameKey: Self.name(exchange.reloadedKey(isNew: false))
            default: Self.name(exchange.received(input.answer))
            }
        }
    }

    @Test(
        "An ordinary refresh repeats a lost request once, looks up the key once, and ends on a definite rejection only",
        arguments: [
            ([.success], ["answered"]),
            ([.offline, .sameToken, .success], ["read", "repeat", "answered"]),
            ([.offline, .otherToken], ["read", "superseded"]),
            ([.offline, .sameToken, .offline], ["read", "repeat", "failed network"]),
            ([.foreign(503), .sameToken, .foreign(502)], ["read", "repeat", "failed network"]),
            ([.foreign(503, retryAfter: 7)], ["failed network"]),
            ([.foreign(500)], ["failed generic"]),
            ([.foreign(401)], ["failed generic"]),
            ([.timeout], ["failed timeout"]),
            ([.storageUnavailable], ["failed storageUnavailable"]),
            ([.error(500, "internal")], ["failed internalServerError"]),
            ([.error(429, "rate_limited")], ["failed rateLimited"]),
            ([.error(403, "unauthorized")], ["failed unauthorized"]),
            ([.error(429, "invalid_dpop_proof")], ["failed unauthorized"]),
            ([.error(401, "unauthorized")], ["ended ended unauthorized"]),
            ([.error(403, "suspended_account")], ["ended suspended forbidden"]),
            ([.error(403, "inactive_user")], ["ended suspended forbidden"]),
            ([.error(403, "forbidden")], ["failed forbidden"]),
            ([.offline, .sameToken, .error(401, "unauthorized")], ["read", "repeat", "ended ended unauthorized"]),
            ([.error(401, "dpop_key_mismatch"), .sameKey], ["reload", "ended device_key_lost deviceKeyLost"]),
            (
                [.error(401, "dpop_key_mismatch"), .newKey, .sameToken, .success],
                ["reload", "read", "send", "answered"]
            ),
            ([.error(401, "dpop_key_mismatch"), .newKey, .otherToken], ["reload", "read", "superseded"]),
            (
                [.error(401, "dpop_key_mismatch"), .newKey, .sameToken, .error(401, "dpop_key_mismatch")],
                ["reload", "read", "send", "ended device_key_lost deviceKeyLost"]
            ),
            ([.keyLost, .sameKey], ["reload", "ended device_key_lost deviceKeyLost"]),
            (
                [.keyLost, .newKey, .sameToken, .offline, .sameToken, .keyLost],
                ["reload", "read", "send", "read", "repeat", "ended device_key_lost deviceKeyLost"]
            ),
            (
                [.offline, .sameToken, .keyLost, .newKey, .sameToken, .offline, .sameToken, .success],
                ["read", "repeat", "reload", "read", "send", "read", "repeat", "answered"]
            ),
            // The server asks for a nonce (RFC 9449 §8), once for each request.
            ([.error(400, "use_dpop_nonce"), .sameToken, .success], ["read", "repeat", "answered"]),
            ([.error(400, "use_dpop_nonce"), .otherToken], ["read", "superseded"]),
            (
                [.error(400, "use_dpop_nonce"), .sameToken, .error(400, "use_dpop_nonce")],
                ["read", "repeat", "failed unauthorized"]
            ),
            (
                [.offline, .sameToken, .error(400, "use_dpop_nonce"), .sameToken, .success],
                ["read", "repeat", "read", "repeat", "answered"]
            ),
            (
                [.error(400, "use_dpop_nonce"), .sameToken, .offline, .sameToken, .success],
                ["read", "repeat", "read", "repeat", "answered"]
            ),
            // A copy of the request was answered first.
            ([.error(400, "invalid_dpop_proof"), .sameToken, .success], ["read", "repeat", "answered"]),
            (
                [.error(400, "invalid_dpop_proof"), .sameToken, .error(400, "invalid_dpop_proof")],
                ["read", "repeat", "failed unauthorized"]
            ),
            // Another request of this device has spent the token.
            ([.error(409, "token_reused"), .otherToken], ["read", "superseded"]),
            (
                [.error(409, "token_reused"), .sameToken, .prepared, .sameToken, .error(401, "unauthorized")],
                ["read", "new attempt", "read", "send", "ended ended unauthorized"]
            ),
            (
                [
                    .error(409, "token_reused"), .sameToken, .prepared, .sameToken, .error(409, "token_reused"),
                    .sameToken,
                ],
                ["read", "new attempt", "read", "send", "read", "failed tokenReused"]
            ),
        ] as [([Input], [String])])
    func ordinary(_ inputs: [Input], expected: [String]) {
        #expect(steps(inputs, carriesChallenge: false) == expected)
    }

    @Test("The attempt is stored, and the session read again, before anything is sent")
    func begins() {
        #expect(Self.name(RefreshExchange(carriesChallenge: false).start) == "attempt")
        #expect(steps([.prepared, .sameToken], carriesChallenge: false) == ["read", "send"])
        #expect(steps([.prepared, .otherToken], carriesChallenge: false) == ["read", "superseded"])
    }

    @Test(
        "A refresh with a challenge distinguishes a rejected challenge, a failing server and an ended session",
        arguments: [
            ([.success], ["answered"]),
            ([.error(409, "token_reused"), .sameToken], ["read", "rejected tokenReused"]),
            ([.error(409, "token_reused"), .otherToken], ["read", "superseded"]),
            ([.error(401, "invalid_challenge_token")], ["rejected invalidChallengeToken"]),
            ([.error(500, "expired_challenge_token")], ["rejected expiredChallengeToken"]),
            ([.error(403, "code_of_tomorrow")], ["rejected generic"]),
            ([.foreign(404)], ["failed generic"]),
            ([.error(429, "rate_limited")], ["failed rateLimited"]),
            ([.error(500, "internal")], ["challenge failed internalServerError"]),
            ([.foreign(503), .sameToken, .foreign(503)], ["read", "repeat", "challenge failed network"]),
            ([.foreign(500)], ["challenge failed generic"]),
            ([.offline, .sameToken, .offline], ["read", "repeat", "failed network"]),
            ([.error(401, "unauthorized")], ["ended ended unauthorized"]),
            ([.error(401, "dpop_key_mismatch"), .sameKey], ["reload", "ended device_key_lost deviceKeyLost"]),
            (
                [.error(401, "dpop_key_mismatch"), .newKey, .sameToken, .error(409, "token_reused"), .sameToken],
                ["reload", "read", "send", "read", "rejected tokenReused"]
            ),
        ] as [([Input], [String])])
    func challenge(_ inputs: [Input], expected: [String]) {
        #expect(steps(inputs, carriesChallenge: true) == expected)
    }
}
