internal import Crypto
internal import Foundation
internal import SessionTokens

extension ProofMutation {
    /// RFC 9449 §4.3 steps 1 to 7: one header, one JWT, its type, its algorithm, its key, its signature.
    static let header: [ProofMutation] =
        form + [
            ProofMutation("RFC 9449 §4.3 step 3: typ is missing", .wrongType) { $0.header["typ"] = nil },
            ProofMutation("RFC 9449 §4.3 step 3: alg is missing", .malformed) { $0.header["alg"] = nil },
            ProofMutation("RFC 9449 §4.3 step 3: jwk is missing", .malformed) { $0.header["jwk"] = nil },
            ProofMutation("RFC 9449 §4.3 step 4: typ is JWT", .wrongType) { $0.header["typ"] = "JWT" },
            ProofMutation("RFC 9449 §11.5: typ is that of an access token", .wrongType) {
                $0.header["typ"] = "at+jwt"
            },
            ProofMutation("RFC 9449 §4.3 step 5: alg is none", .unsupportedAlgorithm) {
                $0.header["alg"] = "none"
                $0.send = { [try JWSText.changing($0) { $0.signature = Data() }] }
            },
            ProofMutation("RFC 9449 §4.3 step 5: alg is not one that is offered", .unsupportedAlgorithm) {
                $0.header["alg"] = "ES384"
            },
            ProofMutation("RFC 9449 §4.3 step 5: alg is spelt in lower case", .unsupportedAlgorithm) {
                $0.header["alg"] = "es256"
            },
            ProofMutation("RFC 7515 §4.1.11: crit names what nobody knows", .malformed) {
                $0.header["crit"] = .array(["exp"])
            },
        ] + macs + signature + key

    private static let macs = PublicKeyEncoding.allCases.map { spelling in
        ProofMutation(
            "RFC 9449 §11.6: alg is a MAC under the public key, as \(spelling.rawValue)", .unsupportedAlgorithm
        ) {
            let secret = try spelling.bytes(of: $0.signer.publicJWK.requiredMembers)
            $0.header["alg"] = "HS256"
            $0.send = { [try JWSText.authenticated($0, secret: secret)] }
        }
    }

    private static let form: [ProofMutation] = [
        ProofMutation("RFC 9449 §4.3 step 1: there is no proof", .missing) { $0.send = { _ in [] } },
        ProofMutation("RFC 9449 §4.3 step 1: the proof comes twice", .moreThanOne) { $0.send = { [$0, $0] } },
        ProofMutation("RFC 9449 §4.3 step 1: the proof comes twice in one header", .malformed) {
            $0.send = { [$0 + ", " + $0] }
        },
        ProofMutation("RFC 9449 §4.3 step 2: the header is empty", .malformed) { $0.send = { _ in [""] } },
        ProofMutation("RFC 9449 §4.3 step 2: a part is missing", .malformed) {
            $0.send = { [$0.split(separator: ".").prefix(2).joined(separator: ".")] }
        },
        ProofMutation("RFC 9449 §4.3 step 2: there is a fourth part", .malformed) { $0.send = { [$0 + ".e30"] } },
        ProofMutation("RFC 7515 §2: the signature is padded", .malformed) { $0.send = { [$0 + "=="] } },
        ProofMutation("RFC 9449 §4.3 step 2: the payload is no object", .malformed) { $0.payload = Data("[]".utf8) },
        ProofMutation("RFC 4648 §3.5: the signature has stray bits", .malformed) {
            $0.send = { [JWSText.withStrayBits($0)] }
        },
        ProofMutation("RFC 7515 §4: a member of the header comes twice", .malformed) { draft in
            let json = try String(decoding: TokenJSON.encode(draft.header), as: UTF8.self)
            draft.headerJSON = Data((#"{"alg":"none","# + json.dropFirst()).utf8)
        },
        ProofMutation("RFC 8725 §3.7: the header is UTF-16", .malformed) { draft in
            let json = try String(decoding: TokenJSON.encode(draft.header), as: UTF8.self)
            draft.headerJSON = json.data(using: .utf16)
        },
        ProofMutation("RFC 8725 §3.7: the header has bytes that are no UTF-8", .malformed) {
            $0.headerJSON =
                Data(#"{"x":""#.utf8) + [0xFF] + Data(#"","#.utf8) + (try TokenJSON.encode($0.header)).dropFirst()
        },
        ProofMutation("RFC 8725 §3.7: the claims have bytes that are no UTF-8", .malformed) {
            $0.payload =
                Data(#"{"x":""#.utf8) + [0xFF] + Data(#"","#.utf8) + (try TokenJSON.encode($0.claims)).dropFirst()
        },
        ProofMutation("RFC 8725 §3.7: the claims are UTF-16", .malformed) { draft in
            let json = try String(decoding: TokenJSON.encode(draft.claims), as: UTF8.self)
            draft.payload = json.data(using: .utf16)
        },
        ProofMutation("RFC 7519 §4: a claim comes twice", .malformed) { draft in
            let json = try String(decoding: TokenJSON.encode(draft.claims), as: UTF8.self)
            draft.payload = Data(json.replacingOccurrences(of: "{", with: #"{"jti":"other","#).utf8)
        },
    ]

    private static let signature: [ProofMutation] = [
        ProofMutation("RFC 9449 §4.3 step 6: another key signed", .invalidSignature) {
            $0.signer = PublishedKeys.otherDevice
        },
        ProofMutation("RFC 8725 §3.10: another key signed, which jku, x5u, x5c and kid name", .invalidSignature) {
            $0.header.name(PublishedKeys.otherDevice)
            $0.signer = PublishedKeys.otherDevice
        },
        ProofMutation("RFC 9449 §4.3 step 6: a bit of the signature is another", .invalidSignature) {
            $0.send = { [try JWSText.changing($0) { $0.signature[40] ^= 1 }] }
        },
        ProofMutation("RFC 9449 §4.3 step 6: a claim changed under the signature", .invalidSignature) {
            $0.send = {
                [try JWSText.changing($0) { $0.payload = JWSText.replacing("LAEB", by: "LAEC", in: $0.payload) }]
            }
        },
        ProofMutation("RFC 9449 §4.3 step 6: the signature is empty", .invalidSignature) {
            $0.send = { [try JWSText.changing($0) { $0.signature = Data() }] }
        },
        ProofMutation("RFC 7518 §3.4: the signature is ASN.1", .invalidSignature) {
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
            ProofMutation("RFC 9449 §4.3 step 7: the key has \(member)", .invalidKey) { $0.setKey(member, "AQ") }
        } + [
            ProofMutation("RFC 9449 §4.3 step 7: the key is private", .invalidKey) {
                $0.setKey("d", .string(Base64URL.encode($0.signer.rawRepresentation)))
            },
            ProofMutation("RFC 8725 §3.4: the point is not on the curve", .invalidKey) { draft in
                draft.setKey("y", draft.signer.publicJWK.requiredMembers["x"].map(JSONValue.string))
            },
            ProofMutation("RFC 7518 §6.2.1.2: a coordinate is short", .invalidKey) { $0.setKey("x", "AQ") },
            ProofMutation("RFC 7638 §7: a coordinate has a second spelling", .invalidKey) { draft in
                let x = draft.signer.publicJWK.requiredMembers["x"] ?? ""
                draft.setKey("x", .string(x + "="))
            },
            ProofMutation("RFC 7638 §7: a coordinate has stray bits", .invalidKey) { draft in
                draft.setKey("x", .string(JWSText.withStrayBits(draft.signer.publicJWK.requiredMembers["x"] ?? "")))
            },
            ProofMutation("RFC 8725 §3.1: the key is of another kind than alg", .invalidKey) { draft in
                draft.header["jwk"] = .object(
                    PublishedKeys.service.publicJWK.requiredMembers.mapValues(JSONValue.string))
            },
            ProofMutation("RFC 9449 §4.3 step 5: a good Ed25519 proof, which is not offered", .unsupportedAlgorithm) {
                $0.signer = PublishedKeys.service
                $0.header["alg"] = "EdDSA"
                $0.header["jwk"] = .object(PublishedKeys.service.publicJWK.requiredMembers.mapValues(JSONValue.string))
            },
        ]
}
