internal import Crypto
internal import Foundation
internal import SessionTokens

extension TokenMutation {
    /// RFC 8725 §3.1 to §3.4, §3.10 and §3.11: algorithm, key, signature, type.
    static let header: [TokenMutation] =
        algorithms + keys + [
            TokenMutation("RFC 8725 §3.3: a bit of the signature is another", "invalid_signature") {
                $0.tamper = { try JWSText.changing($0) { $0.signature[40] ^= 1 } }
            },
            TokenMutation("RFC 8725 §3.3: the claims changed under the signature", "invalid_signature") {
                $0.tamper = {
                    try JWSText.changing($0) { $0.payload = JWSText.replacing("usr_", by: "usr-", in: $0.payload) }
                }
            },
            TokenMutation("RFC 8725 §3.3: the header changed under the signature", "invalid_signature") {
                $0.tamper = {
                    try JWSText.changing($0) { $0.header = JWSText.replacing("at+jwt", by: "AT+jwt", in: $0.header) }
                }
            },
            TokenMutation("RFC 8725 §3.3: the signature is empty", "invalid_signature") {
                $0.tamper = { try JWSText.changing($0) { $0.signature = Data() } }
            },
            TokenMutation("RFC 7515 §4.1.11: crit names what nobody knows", "malformed") {
                $0.header["crit"] = .array(["exp"])
            },
            TokenMutation("RFC 7515 §7.1: a part is missing", "malformed") {
                $0.tamper = { $0.split(separator: ".").prefix(2).joined(separator: ".") }
            },
            TokenMutation("RFC 7515 §2: the token is padded", "malformed") { $0.tamper = { $0 + "=" } },
            TokenMutation("RFC 8725 §3.11: typ is JWT", "wrong_type") { $0.header["typ"] = "JWT" },
            TokenMutation("RFC 8725 §3.11: typ is missing", "wrong_type") { $0.header["typ"] = nil },
            TokenMutation("RFC 8725 §3.12: typ is that of a challenge", "wrong_type") {
                $0.header["typ"] = .string(TokenType.challenge)
            },
            TokenMutation("RFC 8725 §3.12: typ is that of a proof", "wrong_type") {
                $0.header["typ"] = .string(TokenType.dpopProof)
            },
        ]

    private static let algorithms: [TokenMutation] = [
        TokenMutation("RFC 8725 §3.2: alg is none", "unsupported_algorithm") {
            $0.header["alg"] = "none"
            $0.tamper = { try JWSText.changing($0) { $0.signature = Data() } }
        },
        TokenMutation("RFC 8725 §3.1: alg is a MAC under the public key", "unsupported_algorithm") { draft in
            draft.header["alg"] = "HS256"
            let secret = SymmetricKey(data: Data(draft.signer.keyID.utf8))
            draft.tamper = { token in
                try JWSText.changing(token) { jws in
                    let input = JWSText.input(header: jws.header, payload: jws.payload)
                    jws.signature = Data(HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: secret))
                }
            }
        },
        TokenMutation("RFC 8725 §3.1: alg is accepted, but not the key's", "unsupported_algorithm") { draft in
            draft.header["alg"] = draft.signer.algorithm == .es256 ? "EdDSA" : "ES256"
        },
        TokenMutation("RFC 8725 §3.1: alg is spelt in lower case", "unsupported_algorithm") { draft in
            draft.header["alg"] = .string(draft.signer.algorithm.rawValue.lowercased())
        },
    ]

    private static let keys: [TokenMutation] = [
        TokenMutation("RFC 8725 §3.10: kid is missing", "malformed") { $0.header["kid"] = nil },
        TokenMutation("RFC 8725 §3.10: kid is nobody's", "unknown_key") { $0.header["kid"] = "nobody" },
        TokenMutation("RFC 8725 §3.10: kid is SQL", "unknown_key") { $0.header["kid"] = "' OR '1'='1" },
        TokenMutation("RFC 8725 §3.10: kid is a path", "unknown_key") { $0.header["kid"] = "../../dev/null" },
        TokenMutation("RFC 8725 §3.10: jwk in the header has the key that signed", "unknown_key") { draft in
            draft.become(PublishedKeys.otherDevice)
            draft.header["jwk"] = .object(
                PublishedKeys.otherDevice.publicJWK.requiredMembers.mapValues(JSONValue.string))
        },
        TokenMutation("RFC 8725 §3.10: jku in the header leads to the key that signed", "unknown_key") { draft in
            draft.become(PublishedKeys.otherDevice)
            draft.header["jku"] = "https://evil.example/jwks.json"
        },
        TokenMutation("RFC 8725 §3.3: another key signed under the kid", "invalid_signature") { draft in
            let other = SigningKey.generate(draft.signer.algorithm == .es256 ? .es256 : .edDSA)
            draft.signer = other
        },
    ]
}

extension TokenDraft {
    /// Signs with another key, and says so.
    fileprivate mutating func become(_ key: SigningKey) {
        signer = key
        header["alg"] = .string(key.algorithm.rawValue)
        header["kid"] = .string(key.keyID)
    }
}
