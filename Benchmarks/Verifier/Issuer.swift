import Crypto
import CryptoExtras
import Foundation
import PreludeSessionVerifier

/// A fake service for the verifier: its tokens have realistic claims and sizes, and it has a key set.
struct Issuer: KeySetSource {
    enum Algorithm: String, CaseIterable {
        case edDSA = "EdDSA"
        case es256 = "ES256"
        case rs256 = "RS256"
    }

    static let app = "app1234"
    static let origin = "https://app1234.session.example.com"

    private let ed25519 = Curve25519.Signing.PrivateKey()
    private let p256 = P256.Signing.PrivateKey()
    private let rsa: _RSA.Signing.PrivateKey
    private let keySet: Data

    init() throws {
        rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let primitives = try rsa.publicKey.getKeyPrimitives()
        let point = p256.publicKey.rawRepresentation
        let keys = [
            ["kty": "OKP", "crv": "Ed25519", "x": Base64URL.encode(ed25519.publicKey.rawRepresentation)],
            [
                "kty": "EC", "crv": "P-256", "x": Base64URL.encode(point.prefix(32)),
                "y": Base64URL.encode(point.suffix(32)),
            ],
            [
                "kty": "RSA", "n": Base64URL.encode(primitives.modulus),
                "e": Base64URL.encode(primitives.publicExponent),
            ],
        ]
        let named = zip(keys, Algorithm.allCases).map { key, algorithm in
            key.merging(["kid": Self.keyID(algorithm), "alg": algorithm.rawValue]) { $1 }
        }
        keySet = try JSONEncoder().encode(["keys": named])
    }

    func fetch() async throws -> FetchedKeySet { FetchedKeySet(json: keySet) }

    func verifier() throws -> SessionVerifier {
        var options = VerifierOptions()
        options.replayGuard = InMemoryReplayGuard(capacity: 10_000_000)
        return try SessionVerifier(
            service: Self.origin, audience: Self.app, resources: ["https://api.example.com"], options: options,
            keySource: self)
    }

    /// - Parameter thumbprint: The thumbprint of the key that the token is bound to; `nil` for a bearer token.
    func token(_ algorithm: Algorithm, boundTo thumbprint: String? = nil) throws -> String {
        let now = Int(Date().timeIntervalSince1970)
        let header = try JSONEncoder().encode(
            ["alg": algorithm.rawValue, "typ": "at+jwt", "kid": Self.keyID(algorithm)])
        let claims = try JSONEncoder().encode(
            Claims(iat: now, nbf: now, exp: now + 3600, cnf: thumbprint.map { ["jkt": $0] }))
        let input = Base64URL.encode(header) + "." + Base64URL.encode(claims)
        return try input + "." + Base64URL.encode(signature(algorithm, Data(input.utf8)))
    }

    /// The check of a token's signature alone, with key and signature already parsed.
    func bareCheck(_ algorithm: Algorithm, of token: String) throws -> () -> Bool {
        let parts = token.split(separator: ".")
        let message = Data(parts.prefix(2).joined(separator: ".").utf8)
        let signature = try signature(algorithm, message)
        switch algorithm {
        case .edDSA:
            let key = ed25519.publicKey
            return { key.isValidSignature(signature, for: message) }
        case .es256:
            let (key, parsed) = (p256.publicKey, try P256.Signing.ECDSASignature(rawRepresentation: signature))
            return { key.isValidSignature(parsed, for: message) }
        case .rs256:
            let (key, parsed) = (rsa.publicKey, _RSA.Signing.RSASignature(rawRepresentation: signature))
            return { key.isValidSignature(parsed, for: message, padding: .insecurePKCS1v1_5) }
        }
    }

    private func signature(_ algorithm: Algorithm, _ message: Data) throws -> Data {
        switch algorithm {
        case .edDSA: Data(try ed25519.signature(for: message))
        case .es256: try p256.signature(for: message).rawRepresentation
        case .rs256: try rsa.signature(for: message, padding: .insecurePKCS1v1_5).rawRepresentation
        }
    }

    /// A `kid` with the length of a thumbprint.
    private static func keyID(_ algorithm: Algorithm) -> String {
        Base64URL.encode(SHA256.hash(data: Data(algorithm.rawValue.utf8)))
    }

    private struct Claims: Encodable {
        var iss = "app1234.session.example.com"
        var aud = Issuer.app
        var sub = "usr_01jzq4v7m8e6kb3t9x2c5n0hda"
        var sid = "ses_01jzq4v7m8e6kb3t9x2c5n0hdb"
        var clientID = Issuer.app
        var jti = "Zr0tIouIyhk1v2XjHt8b0w"
        var scope = "orders:read transfer:write"
        let iat: Int
        let nbf: Int
        let exp: Int
        let cnf: [String: String]?

        private enum CodingKeys: String, CodingKey {
            case iss, aud, sub, sid, jti, scope, iat, nbf, exp, cnf
            case clientID = "client_id"
        }
    }
}
