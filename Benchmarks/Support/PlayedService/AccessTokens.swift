import Crypto
import Foundation

/// Makes access tokens with the claims and the size of the service's tokens (RFC 9068 §2.2).
struct AccessTokens: Sendable {
    private let key = Curve25519.Signing.PrivateKey()
    private let header: String

    init() throws {
        header = Self.base64URL(
            try JSONEncoder().encode(["alg": "EdDSA", "typ": "at+jwt", "kid": Self.base64URL(Self.random(32))]))
    }

    /// - Parameters:
    ///   - now: Seconds since 1970.
    ///   - lifetime: The lifetime in seconds.
    ///   - thumbprint: The thumbprint of the key that the token is bound to (RFC 9449 §6.1); `nil` for a bearer token.
    func issue(at now: Int, lifetime: Int, boundTo thumbprint: String?) throws -> String {
        let claims = Claims(
            jti: Self.base64URL(Self.random(16)), iat: now, nbf: now, exp: now + lifetime,
            cnf: thumbprint.map { ["jkt": $0] })
        let input = header + "." + Self.base64URL(try JSONEncoder().encode(claims))
        return input + "." + Self.base64URL(try key.signature(for: Data(input.utf8)))
    }

    private struct Claims: Encodable {
        var iss = "session.test"
        var aud = "testapp"
        var sub = "usr_01jzq4v7m8e6kb3t9x2c5n0hda"
        var sid = "ses_01jzq4v7m8e6kb3t9x2c5n0hdb"
        var clientID = "testapp"
        let jti: String
        let iat: Int
        let nbf: Int
        let exp: Int
        let cnf: [String: String]?

        private enum CodingKeys: String, CodingKey {
            case iss, aud, sub, sid, jti, iat, nbf, exp, cnf
            case clientID = "client_id"
        }
    }

    private static func random(_ count: Int) -> Data {
        SymmetricKey(size: SymmetricKeySize(bitCount: count * 8)).withUnsafeBytes { Data($0) }
    }

    static func base64URL(_ bytes: Data) -> String {
        bytes.base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }
}
