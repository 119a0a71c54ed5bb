import Crypto
import CryptoExtras
import Foundation
import SessionConformance
import SessionRSA
import SessionTokens

/// A backend with an RSA key of its own that signs any header and payload.
struct ExternalBackend {
    private let key: _RSA.Signing.PrivateKey
    /// `kty`, `n` and `e`.
    let members: [String: JSONValue]

    static let one = Result { try ExternalBackend(FixedRSAKeys.key(0)) }
    static let other = Result { try ExternalBackend(FixedRSAKeys.key(1)) }

    private init(_ key: RSASigningKey) throws {
        self.key = try _RSA.Signing.PrivateKey(derRepresentation: key.derRepresentation)
        members = key.publicKey.requiredMembers.mapValues(JSONValue.string)
    }

    /// The public key as an entry of a key set.
    func entry(_ changes: [String: JSONValue?] = ["kid": "k1"]) -> JSONValue {
        var entry = members
        for (name, value) in changes { entry[name] = value }
        return .object(entry)
    }

    /// A token with exactly this header and payload, always signed with RS256.
    func token(header: String = #"{"alg":"RS256","kid":"k1"}"#, payload: String = #"{"sub":"usr_1"}"#) throws -> String
    {
        let input = Base64URL.encode(Data(header.utf8)) + "." + Base64URL.encode(Data(payload.utf8))
        return try input + "." + Base64URL.encode(signature(input, padding: .insecurePKCS1v1_5))
    }

    func signature(_ input: String, padding: _RSA.Signing.Padding) throws -> Data {
        try key.signature(for: Data(input.utf8), padding: padding).rawRepresentation
    }
}

extension PublishedKeySet {
    init(_ entries: [JSONValue], algorithms: Set<SignatureAlgorithm> = [.rs256]) throws {
        try self.init(json: TokenJSON.encode(["keys": entries]), algorithms: algorithms)
    }
}
