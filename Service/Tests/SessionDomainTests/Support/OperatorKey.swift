import CryptoExtras
import Foundation
import SessionConformance
import SessionRSA
import SessionTokens

/// A key of an operator's backend that signs with RS256 (RFC 7518 §3.3).
struct OperatorKey: Sendable {
    let id: String
    private let key: _RSA.Signing.PrivateKey

    private init(id: String, index: Int) throws {
        self.id = id
        key = try _RSA.Signing.PrivateKey(derRepresentation: FixedRSAKeys.key(index).derRepresentation)
    }

    static let first = Result { try OperatorKey(id: "kid-1", index: 0) }
    static let second = Result { try OperatorKey(id: "kid-2", index: 1) }

    var jwk: JSONValue {
        get throws {
            let numbers = try key.publicKey.getKeyPrimitives()
            return .object([
                "kty": "RSA", "kid": .string(id), "n": .string(Base64URL.encode(numbers.modulus)),
                "e": .string(Base64URL.encode(numbers.publicExponent)),
            ])
        }
    }

    static func set(_ keys: OperatorKey...) throws -> Data {
        try TokenJSON.encode(["keys": JSONValue.array(try keys.map { try $0.jwk })])
    }

    func sign(_ claims: [String: JSONValue], header changes: [String: JSONValue] = [:]) throws -> String {
        let header: [String: JSONValue] = ["alg": "RS256", "kid": .string(id)]
        let parts = [
            try TokenJSON.encode(header.merging(changes) { $1 }), try TokenJSON.encode(claims),
        ].map(Base64URL.encode)
        let input = parts.joined(separator: ".")
        let signature = try key.signature(for: Data(input.utf8), padding: .insecurePKCS1v1_5)
        return input + "." + Base64URL.encode(signature.rawRepresentation)
    }
}
