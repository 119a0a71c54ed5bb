import Foundation
import PreludeSession

/// Well-formed tokens without a valid signature. The SDK reads tokens and does not verify them.
enum TestToken {
    static func jwt(_ claims: [String: PreludeJSONValue]) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let payload = (try? encoder.encode(claims)) ?? Data()
        return "eyJhbGciOiJub25lIn0." + base64URL(payload) + ".c2ln"
    }

    static func claims(of token: String) -> [String: PreludeJSONValue]? {
        let parts = token.split(separator: ".")
        guard parts.count == 3 else { return nil }
        var text = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
        while text.count % 4 != 0 { text += "=" }
        return Data(base64Encoded: text).flatMap {
            try? JSONDecoder().decode([String: PreludeJSONValue].self, from: $0)
        }
    }

    static func base64URL(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// An access token. Its `jti` is `name`.
    static func access(
        _ name: String, scope: String? = nil, session: String = "ses_1", issuedAt: Double? = nil
    ) -> String {
        var claims: [String: PreludeJSONValue] = [
            "sub": .string("usr_1"), "sid": .string(session), "jti": .string(name),
        ]
        claims["scope"] = scope.map { .string($0) }
        claims["iat"] = issuedAt.map { .double($0) }
        return jwt(claims)
    }

    /// A challenge token that expires ten minutes after `TestClock.start`.
    ///
    /// - Parameter user: `sub`.
    static func challenge(
        _ id: String, step: String = "verify_sms", attempt: String = "chl_1", scope: String = "transfer:write",
        session: String? = "ses_1", user: String? = nil, expiresAt: Double = TestClock.start + 600
    ) -> String {
        var claims: [String: PreludeJSONValue] = [
            "jti": .string(id), "exp": .double(expiresAt), "challenge_id": .string(attempt),
            "current_step": .string(step), "scope_requested": .string(scope),
        ]
        claims["sid"] = session.map { .string($0) }
        claims["sub"] = user.map { .string($0) }
        return jwt(claims)
    }
}
