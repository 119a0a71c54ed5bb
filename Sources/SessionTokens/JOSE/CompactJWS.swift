package import Foundation

/// Why a compact JWS was refused before its content was looked at.
package enum JWSError: Error, Equatable {
    /// Not three canonical base64url parts with a JSON header (RFC 7515 §7.1).
    case malformed
    /// `alg` is `none`, a MAC, or otherwise not on the list (RFC 8725 §3.1).
    case unsupportedAlgorithm
    /// The header names critical extensions, and we know none (RFC 7515 §4.1.11).
    case criticalExtension
    /// `typ` is not the one this kind of token must have (RFC 8725 §3.11).
    case wrongType
    /// `kid` names no key of the given set.
    case unknownKey
    /// The signature does not belong to the key and the signed bytes.
    case invalidSignature
    /// The payload is not the JSON this kind of token must hold.
    case invalidClaims
}

/// The protected header of a token, as far as this project reads it (RFC 7515 §4.1).
package struct JOSEHeader: Encodable, JSONObjectReadable, Sendable {
    package var alg: String
    package var typ: String?
    package var kid: String?
    package var jwk: PublicJWK?
    /// Whether `crit` is there at all; whatever it lists, we do not know it.
    package var isCritical = false

    private enum CodingKeys: CodingKey { case alg, typ, kid, jwk }

    package init(alg: SignatureAlgorithm, typ: String, kid: String? = nil, jwk: PublicJWK? = nil) {
        self.alg = alg.rawValue
        self.typ = typ
        self.kid = kid
        self.jwk = jwk
    }

    package init(_ object: JSONObject) throws {
        alg = try object.string("alg")
        typ = try object.stringIfPresent("typ")
        kid = try object.stringIfPresent("kid")
        jwk = try object.objectIfPresent("jwk").map(PublicJWK.init)
        isCritical = object.contains("crit")
    }
}

/// A JWS in compact serialization (RFC 7515 §7.1), parsed once; what is verified is what is used.
package struct CompactJWS: Sendable {
    package let header: JOSEHeader
    package let algorithm: SignatureAlgorithm
    package let payload: Data
    package let signingInput: Data
    package let signature: Data

    package static let maximumLength = CompactParts.maximumLength

    package init(parsing text: String) throws {
        let parts = try CompactParts(text)
        do {
            header = try TokenJSON.read(JOSEHeader.self, from: parts.header)
        } catch let error as JWKError {
            throw error
        } catch {
            throw JWSError.malformed
        }
        guard !header.isCritical else { throw JWSError.criticalExtension }
        guard let algorithm = SignatureAlgorithm(rawValue: header.alg) else { throw JWSError.unsupportedAlgorithm }
        self.algorithm = algorithm
        payload = parts.payload
        signature = parts.signature
        signingInput = parts.signingInput
    }

    /// Checks the signature with a key that must be made for the header's algorithm.
    package func verify(with key: some VerificationKey) throws(JWSError) {
        guard key.algorithm == algorithm else { throw .unsupportedAlgorithm }
        guard key.isValidSignature(signature, for: signingInput) else { throw .invalidSignature }
    }

    /// The bytes to be signed for a header and a payload.
    package static func signingInput(header: JOSEHeader, payload: Data) throws -> String {
        try Base64URL.encode(TokenJSON.encode(header)) + "." + Base64URL.encode(payload)
    }
}
