internal import Foundation
internal import SessionTokens

extension TokenMutation {
    /// RFC 8725 §3.1 to §3.4, §3.10 and §3.11: algorithm, key, signature, type.
    static let header: [TokenMutation] =
        algorithms + macs + keys + encodings + [
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
        TokenMutation("RFC 8725 §3.1: alg is accepted, but not the key's", "unsupported_algorithm") { draft in
            draft.header["alg"] = draft.signer.algorithm == .es256 ? "EdDSA" : "ES256"
        },
        TokenMutation("RFC 8725 §3.1: alg is spelt in lower case", "unsupported_algorithm") { draft in
            draft.header["alg"] = .string(draft.signer.algorithm.rawValue.lowercased())
        },
    ]

    /// The confusion of RFC 8725 §2.1: who verifies with "the key" and believes `alg` takes these.
    private static let macs =
        PublicKeyEncoding.allCases.map { spelling in
            mac("as \(spelling.rawValue)") { try spelling.bytes(of: $0.publishedMembers) }
        } + [mac("as its kid") { Data($0.keyID.utf8) }]

    private static func mac(
        _ spelling: String, secret: @escaping @Sendable (any TokenSigner) throws -> Data
    ) -> TokenMutation {
        TokenMutation("RFC 8725 §3.1: alg is a MAC under the public key, \(spelling)", "unsupported_algorithm") {
            let secret = try secret($0.signer)
            $0.header["alg"] = "HS256"
            $0.tamper = { try JWSText.authenticated($0, secret: secret) }
        }
    }

    private static let encodings: [TokenMutation] = [
        TokenMutation("RFC 7515 §4: a member of the header comes twice", "malformed") { draft in
            let json = try String(decoding: TokenJSON.encode(draft.header), as: UTF8.self)
            draft.headerJSON = Data((#"{"alg":"none","# + json.dropFirst()).utf8)
        },
        TokenMutation("RFC 8725 §3.7: the header is UTF-16", "malformed") { draft in
            let json = try String(decoding: TokenJSON.encode(draft.header), as: UTF8.self)
            draft.headerJSON = json.data(using: .utf16)
        },
        TokenMutation("RFC 8725 §3.7: the header has bytes that are no UTF-8", "malformed") {
            $0.headerJSON =
                Data(#"{"x":""#.utf8) + [0xFF] + Data(#"","#.utf8) + (try TokenJSON.encode($0.header)).dropFirst()
        },
        TokenMutation("RFC 4648 §3.5: the signature has stray bits", "malformed") {
            $0.tamper = { JWSText.withStrayBits($0) }
        },
    ]

    private static let keys: [TokenMutation] =
        hints + [
            TokenMutation("RFC 8725 §3.10: kid is missing", "malformed") { $0.header["kid"] = nil },
            TokenMutation("RFC 8725 §3.10: kid is nobody's", "unknown_key") { $0.header["kid"] = "nobody" },
            TokenMutation("RFC 8725 §3.10: kid is SQL", "unknown_key") { $0.header["kid"] = "' OR '1'='1" },
            TokenMutation("RFC 8725 §3.10: kid is a path", "unknown_key") { $0.header["kid"] = "../../dev/null" },
            TokenMutation("RFC 8725 §3.3: another key signed under the kid", "invalid_signature") { draft in
                let other = SigningKey.generate(draft.signer.algorithm == .es256 ? .es256 : .edDSA)
                draft.signer = other
            },
        ]

    /// A key, or where to get one, in the header: nobody looks there, so the kid decides.
    private static let hints = KeyHint.allCases.flatMap { hint in
        [
            TokenMutation("RFC 8725 §3.10: \(hint) in the header has the key that signed", "unknown_key") {
                $0.become(PublishedKeys.otherDevice)
                $0.header[hint.rawValue] = hint.value(of: PublishedKeys.otherDevice)
            },
            TokenMutation(
                "RFC 8725 §3.10: \(hint) has the key that signed, under the kid of another", "invalid_signature"
            ) {
                $0.header[hint.rawValue] = hint.value(of: PublishedKeys.otherDevice)
                $0.signer = PublishedKeys.otherDevice
            },
        ]
    }
}

extension TokenDraft {
    /// Signs with another key, and says so.
    fileprivate mutating func become(_ key: SigningKey) {
        signer = key
        header["alg"] = .string(key.algorithm.rawValue)
        header["kid"] = .string(key.keyID)
    }
}
