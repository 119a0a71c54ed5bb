internal import Crypto
internal import Foundation
internal import SessionTokens

extension ProofMutation {
    /// Mutations of header count, JWT format, type, algorithm, key and signature (RFC 9449 §4.3 steps 1 to 7).
    static let header: [ProofMutation] =
        form + [
            ProofMutation("The header typ is missing (RFC 9449 §4.3 step 3)", .wrongType) { $0.header["typ"] = nil },
            ProofMutation("The header alg is missing (RFC 9449 §4.3 step 3)", .malformed) { $0.header["alg"] = nil },
            ProofMutation("The header jwk is missing (RFC 9449 §4.3 step 3)", .malformed) { $0.header["jwk"] = nil },
            ProofMutation("The header typ is JWT (RFC 9449 §4.3 step 4)", .wrongType) { $0.header["typ"] = "JWT" },
            ProofMutation("The header typ is the type of access tokens (RFC 9449 §11.5)", .wrongType) {
                $0.header["typ"] = "at+jwt"
            },
            ProofMutation("The header alg is none (RFC 9449 §4.3 step 5)", .unsupportedAlgorithm) {
                $0.header["alg"] = "none"
                $0.send = { [try JWSText.changing($0) { $0.signature = Data() }] }
            },
            ProofMutation("The header alg is not an accepted algorithm (RFC 9449 §4.3 step 5)", .unsupportedAlgorithm) {
                $0.header["alg"] = "ES384"
            },
            ProofMutation("The header alg is in lower case (RFC 9449 §4.3 step 5)", .unsupportedAlgorithm) {
                $0.header["alg"] = "es256"
            },
            ProofMutation("The header crit names an unknown extension (RFC 7515 §4.1.11)", .malformed) {
                $0.header["crit"] = .array(["exp"])
            },
        ] + macs + signature + key

    private static let macs = PublicKeyEncoding.allCases.map { encoding in
        ProofMutation(
            "The signature is a MAC with the public key as \(encoding.rawValue) (RFC 9449 §11.6)", .unsupportedAlgorithm
        ) {
            let secret = try encoding.bytes(of: $0.signer.publicJWK.requiredMembers)
            $0.header["alg"] = "HS256"
            $0.send = { [try JWSText.authenticated($0, secret: secret)] }
        }
    }

    private static let form: [ProofMutation] = [
        ProofMutation("The request has no proof (RFC 9449 §4.3 step 1)", .missing) { $0.send = { _ in [] } },
        ProofMutation("The request has two DPoP headers (RFC 9449 §4.3 step 1)", .moreThanOne) {
            $0.send = { [$0, $0] }
        },
        ProofMutation("The DPoP header contains the proof twice (RFC 9449 §4.3 step 1)", .malformed) {
            $0.send = { [$0 + ", " + $0] }
        },
        ProofMutation("The DPoP header is empty (RFC 9449 §4.3 step 2)", .malformed) { $0.send = { _ in [""] } },
        ProofMutation("The proof has only two parts (RFC 9449 §4.3 step 2)", .malformed) {
            $0.send = { [$0.split(separator: ".").prefix(2).joined(separator: ".")] }
        },
        ProofMutation("The proof has a fourth part (RFC 9449 §4.3 step 2)", .malformed) { $0.send = { [$0 + ".e30"] } },
        ProofMutation("The signature has base64 padding (RFC 7515 §2)", .malformed) { $0.send = { [$0 + "=="] } },
        ProofMutation("The payload is not a JSON object (RFC 9449 §4.3 step 2)", .malformed) {
            $0.payload = Data("[]".utf8)
        },
        ProofMutation("The signature has unused trailing bits set (RFC 4648 §3.5)", .malformed) {
            $0.send = { [JWSText.withStrayBits($0)] }
        },
        ProofMutation("The header has a member twice (RFC 7515 §4)", .malformed) { draft in
            let json = try String(decoding: TokenJSON.encode(draft.header), as: UTF8.self)
            draft.headerJSON = Data((#"{"alg":"none","# + json.dropFirst()).utf8)
        },
        ProofMutation("The header is encoded in UTF-16 (RFC 8725 §3.7)", .malformed) { draft in
            let json = try String(decoding: TokenJSON.encode(draft.header), as: UTF8.self)
            draft.headerJSON = json.data(using: .utf16)
        },
        ProofMutation("The header contains bytes that are not UTF-8 (RFC 8725 §3.7)", .malformed) {
            $0.headerJSON =
                Data(#"{"x":""#.utf8) + [0xFF] + Data(#"","#.utf8) + (try TokenJSON.encode($0.header)).dropFirst()
        },
        ProofMutation("The claims contain bytes that are not UTF-8 (RFC 8725 §3.7)", .malformed) {
            $0.payload =
                Data(#"{"x":""#.utf8) + [0xFF] + Data(#"","#.utf8) + (try TokenJSON.encode($0.claims)).dropFirst()
        },
        ProofMutation("The claims are encoded in UTF-16 (RFC 8725 §3.7)", .malformed) { draft in
            let json = try String(decoding: TokenJSON.encode(draft.claims), as: UTF8.self)
            draft.payload = json.data(using: .utf16)
        },
        ProofMutation("The payload has a claim twice (RFC 7519 §4)", .malformed) { draft in
            let json = try String(decoding: TokenJSON.encode(draft.claims), as: UTF8.self)
            draft.payload = Data(json.replacingOccurrences(of: "{", with: #"{"jti":"other","#).utf8)
        },
    ]

    private static let signature: [ProofMutation] = [
        ProofMutation("Another key signed the proof (RFC 9449 §4.3 step 6)", .invalidSignature) {
            $0.signer = PublishedKeys.otherDevice
        },
        ProofMutation(
            "Another key, named by jku, x5u, x5c and kid, signed the proof (RFC 8725 §3.10)", .invalidSignature
        ) {
            $0.header.name(PublishedKeys.otherDevice)
            $0.signer = PublishedKeys.otherDevice
        },
        ProofMutation("One bit of the signature is changed (RFC 9449 §4.3 step 6)", .invalidSignature) {
            $0.send = { [try JWSText.changing($0) { $0.signature[40] ^= 1 }] }
        },
        ProofMutation("A claim is changed after signing (RFC 9449 §4.3 step 6)", .invalidSignature) {
            $0.send = {
                [try JWSText.changing($0) { $0.payload = JWSText.replacing("LAEB", by: "LAEC", in: $0.payload) }]
            }
        },
        ProofMutation("The signature is empty (RFC 9449 §4.3 step 6)", .invalidSignature) {
            $0.send = { [try JWSText.changing($0) { $0.signature = Data() }] }
        },
        ProofMutation("The signature is encoded in ASN.1 (RFC 7518 §3.4)", .invalidSignature) {
            $0.send = { proof in
                [
                    try JWSText.changing(proof) {
                        $0.signature = try P256.Signing.ECDSASignature(rawRepresentation: $0.signature)
                            .derRepresentation
                    }
                ]
            }
        },
    ]

    private static let key: [ProofMutation] =
        ["d", "p", "q", "dp", "dq", "qi", "oth", "k"].map { member in
            ProofMutation("The key has the private member \(member) (RFC 9449 §4.3 step 7)", .invalidKey) {
                $0.setKey(member, "AQ")
            }
        }
        + ["kty", "crv", "x"].map { member in
            ProofMutation("The member \(member) of the key is a list (RFC 7517 §4)", .malformed) { draft in
                let value = draft.signer.publicJWK.requiredMembers[member] ?? ""
                draft.setKey(member, .array([.string(value)]))
            }
        } + [
            ProofMutation("The header kid is not a string (RFC 7515 §4.1.4)", .malformed) {
                $0.header["kid"] = .int(1)
            },
            ProofMutation("The header contains the private key (RFC 9449 §4.3 step 7)", .invalidKey) {
                $0.setKey("d", .string(Base64URL.encode($0.signer.rawRepresentation)))
            },
            ProofMutation("The key's point is not on the curve (RFC 8725 §3.4)", .invalidKey) { draft in
                draft.setKey("y", draft.signer.publicJWK.requiredMembers["x"].map(JSONValue.string))
            },
            ProofMutation("A coordinate of the key is too short (RFC 7518 §6.2.1.2)", .invalidKey) {
                $0.setKey("x", "AQ")
            },
            ProofMutation("A coordinate of the key has base64 padding (RFC 7638 §7)", .invalidKey) { draft in
                let x = draft.signer.publicJWK.requiredMembers["x"] ?? ""
                draft.setKey("x", .string(x + "="))
            },
            ProofMutation("A coordinate of the key has unused trailing bits set (RFC 7638 §7)", .invalidKey) { draft in
                draft.setKey("x", .string(JWSText.withStrayBits(draft.signer.publicJWK.requiredMembers["x"] ?? "")))
            },
            ProofMutation("The key has another type than alg requires (RFC 8725 §3.1)", .invalidKey) { draft in
                draft.header["jwk"] = .object(
                    PublishedKeys.service.publicJWK.requiredMembers.mapValues(JSONValue.string))
            },
            ProofMutation(
                "The proof is valid with Ed25519, which is not accepted for proofs (RFC 9449 §4.3 step 5)",
                .unsupportedAlgorithm
            ) {
                $0.signer = PublishedKeys.service
                $0.header["alg"] = "EdDSA"
                $0.header["jwk"] = .object(PublishedKeys.service.publicJWK.requiredMembers.mapValues(JSONValue.string))
            },
        ]
}
