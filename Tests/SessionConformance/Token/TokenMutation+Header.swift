internal import Foundation
internal import SessionTokens

extension TokenMutation {
    /// Mutations of algorithm, key, signature and type (RFC 8725 §3.1 to §3.4, §3.10 and §3.11).
    static let header: [TokenMutation] =
        algorithms + macs + keys + encodings + [
            TokenMutation("One bit of the signature is changed (RFC 8725 §3.3)", "invalid_signature") {
                $0.tamper = { try JWSText.changing($0) { $0.signature[40] ^= 1 } }
            },
            TokenMutation("A claim is changed after signing (RFC 8725 §3.3)", "invalid_signature") {
                $0.tamper = {
                    try JWSText.changing($0) { $0.payload = JWSText.replacing("usr_", by: "usr-", in: $0.payload) }
                }
            },
            TokenMutation("The header is changed after signing (RFC 8725 §3.3)", "invalid_signature") {
                $0.tamper = {
                    try JWSText.changing($0) { $0.header = JWSText.replacing("at+jwt", by: "AT+jwt", in: $0.header) }
                }
            },
            TokenMutation("The signature is empty (RFC 8725 §3.3)", "invalid_signature") {
                $0.tamper = { try JWSText.changing($0) { $0.signature = Data() } }
            },
            TokenMutation("The header crit names an unknown extension (RFC 7515 §4.1.11)", "malformed") {
                $0.header["crit"] = .array(["exp"])
            },
            TokenMutation("The token has only two parts (RFC 7515 §7.1)", "malformed") {
                $0.tamper = { $0.split(separator: ".").prefix(2).joined(separator: ".") }
            },
            TokenMutation("The token has base64 padding (RFC 7515 §2)", "malformed") { $0.tamper = { $0 + "=" } },
            // Proves: RFC 9068 §2.1
            TokenMutation("The header typ is JWT (RFC 8725 §3.11)", "wrong_type") { $0.header["typ"] = "JWT" },
            TokenMutation("The header typ is missing (RFC 8725 §3.11)", "wrong_type") { $0.header["typ"] = nil },
            TokenMutation("The header typ is the type of challenge tokens (RFC 8725 §3.12)", "wrong_type") {
                $0.header["typ"] = .string(TokenType.challenge)
            },
            TokenMutation("The header typ is the type of DPoP proofs (RFC 8725 §3.12)", "wrong_type") {
                $0.header["typ"] = .string(TokenType.dpopProof)
            },
        ]

    private static let algorithms: [TokenMutation] = [
        TokenMutation("The header alg is none (RFC 8725 §3.2)", "unsupported_algorithm") {
            $0.header["alg"] = "none"
            $0.tamper = { try JWSText.changing($0) { $0.signature = Data() } }
        },
        TokenMutation("The header alg is an accepted algorithm of another key (RFC 8725 §3.1)", "unsupported_algorithm")
        { draft in
            draft.header["alg"] = draft.signer.algorithm == .es256 ? "EdDSA" : "ES256"
        },
        TokenMutation("The header alg is in lower case (RFC 8725 §3.1)", "unsupported_algorithm") { draft in
            draft.header["alg"] = .string(draft.signer.algorithm.rawValue.lowercased())
        },
    ]

    /// Tokens that a verifier accepts if it uses the public key with the algorithm of the header (RFC 8725 §2.1).
    private static let macs =
        PublicKeyEncoding.allCases.map { encoding in
            mac(encoding.rawValue) { try encoding.bytes(of: $0.publishedMembers) }
        } + [mac("its kid") { Data($0.keyID.utf8) }]

    private static func mac(
        _ secretName: String, secret: @escaping @Sendable (any TokenSigner) throws -> Data
    ) -> TokenMutation {
        TokenMutation(
            "The signature is a MAC with the public key as \(secretName) (RFC 8725 §3.1)", "unsupported_algorithm"
        ) {
            let secret = try secret($0.signer)
            $0.header["alg"] = "HS256"
            $0.tamper = { try JWSText.authenticated($0, secret: secret) }
        }
    }

    private static let encodings: [TokenMutation] = [
        TokenMutation("The header has a member twice (RFC 7515 §4)", "malformed") { draft in
            let json = try String(decoding: TokenJSON.encode(draft.header), as: UTF8.self)
            draft.headerJSON = Data((#"{"alg":"none","# + json.dropFirst()).utf8)
        },
        TokenMutation("The header is encoded in UTF-16 (RFC 8725 §3.7)", "malformed") { draft in
            let json = try String(decoding: TokenJSON.encode(draft.header), as: UTF8.self)
            draft.headerJSON = json.data(using: .utf16)
        },
        TokenMutation("The header contains bytes that are not UTF-8 (RFC 8725 §3.7)", "malformed") {
            $0.headerJSON =
                Data(#"{"x":""#.utf8) + [0xFF] + Data(#"","#.utf8) + (try TokenJSON.encode($0.header)).dropFirst()
        },
        TokenMutation("The signature has unused trailing bits set (RFC 4648 §3.5)", "malformed") {
            $0.tamper = { JWSText.withStrayBits($0) }
        },
    ]

    private static let keys: [TokenMutation] =
        hints + [
            TokenMutation("The header jwk is not an object (RFC 7515 §4.1.3)", "malformed") { $0.header["jwk"] = "x" },
            TokenMutation("The header kid is missing (RFC 8725 §3.10)", "malformed") { $0.header["kid"] = nil },
            TokenMutation("The header kid names no key (RFC 8725 §3.10)", "unknown_key") {
                $0.header["kid"] = "unknown"
            },
            TokenMutation("The header kid contains SQL (RFC 8725 §3.10)", "unknown_key") {
                $0.header["kid"] = "' OR '1'='1"
            },
            TokenMutation("The header kid contains a file path (RFC 8725 §3.10)", "unknown_key") {
                $0.header["kid"] = "../../dev/null"
            },
            TokenMutation("Another key than the one named by kid signed the token (RFC 8725 §3.3)", "invalid_signature")
            { draft in
                let other = SigningKey.generate(draft.signer.algorithm == .es256 ? .es256 : .edDSA)
                draft.signer = other
            },
        ]

    /// Headers with a key or the URL of a key. Verifiers ignore them: only the kid selects the key.
    private static let hints = KeyHint.allCases.flatMap { hint in
        [
            TokenMutation("The header \(hint) contains the signing key (RFC 8725 §3.10)", "unknown_key") {
                $0.sign(with: PublishedKeys.otherDevice)
                $0.header[hint.rawValue] = hint.value(of: PublishedKeys.otherDevice)
            },
            TokenMutation(
                "The header \(hint) contains the signing key, but kid names another key (RFC 8725 §3.10)",
                "invalid_signature"
            ) {
                $0.header[hint.rawValue] = hint.value(of: PublishedKeys.otherDevice)
                $0.signer = PublishedKeys.otherDevice
            },
        ]
    }
}

extension TokenDraft {
    /// Signs with another key and sets `alg` and `kid` to that key.
    fileprivate mutating func sign(with key: SigningKey) {
        signer = key
        header["alg"] = .string(key.algorithm.rawValue)
        header["kid"] = .string(key.keyID)
    }
}
