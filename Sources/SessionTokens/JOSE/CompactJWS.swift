package import Foundation

/// A JWS in compact serialization (RFC 7515 §7.1), parsed once; what is verified is what is used.
package struct CompactJWS: Sendable {
    package let header: Header
    package let algorithm: SignatureAlgorithm
    package let payload: Data
    package let signingInput: Data
    package let signature: Data

    /// What is read of a protected header (RFC 7515 §4.1). Addresses of keys are none of it: nothing is fetched on a
    /// token's word.
    package struct Header: JSONObjectReadable, Sendable {
        package let alg: String
        package let typ: String?
        package let kid: String?
        /// A key that nobody judged: proofs bring theirs along, and of tokens it is ignored.
        package let jwk: JSONObject?
        /// Whether `crit` is there at all; whatever it lists, we do not know it.
        package let isCritical: Bool

        package init(_ object: JSONObject) throws {
            alg = try object.string("alg")
            typ = try object.stringIfPresent("typ")
            kid = try object.stringIfPresent("kid")
            jwk = try object.objectIfPresent("jwk")
            isCritical = object.contains("crit")
        }
    }

    package init(parsing text: String) throws(JWSError) {
        let parts = try CompactParts(text)
        do {
            header = try TokenJSON.read(Header.self, from: parts.header)
        } catch {
            throw .malformed
        }
        guard !header.isCritical else { throw .criticalExtension }
        guard let algorithm = SignatureAlgorithm(rawValue: header.alg) else { throw .unsupportedAlgorithm }
        self.algorithm = algorithm
        payload = parts.payload
        signature = parts.signature
        signingInput = parts.signingInput
    }

    /// Checks the signature with a key that must be made for the header's algorithm.
    package func verify(with key: some VerificationKey) throws(JWSError) {
        // The key says what it verifies; the header only has to agree (RFC 8725 §3.1).
        guard key.algorithm == algorithm else { throw .unsupportedAlgorithm }
        guard key.isValidSignature(signature, for: signingInput) else { throw .invalidSignature }
    }

    /// The bytes to be signed for a header and a payload.
    package static func signingInput(header: JOSEHeader, payload: Data) throws -> String {
        try Base64URL.encode(TokenJSON.encode(header)) + "." + Base64URL.encode(payload)
    }
}
