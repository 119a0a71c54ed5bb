public import Foundation

/// A parsed JWS in compact serialization (RFC 7515 §7.1). Verification and use read the same parsed bytes.
public struct CompactJWS: Sendable {
    public let header: Header
    /// `alg` of the header; `.edDSA` for both names of Ed25519.
    public let algorithm: SignatureAlgorithm
    public let payload: Data
    public let signingInput: Data
    public let signature: Data

    /// The protected header (RFC 7515 §4.1). URLs of keys (`jku`, `x5u`) are not read, so a token cannot start a request.
    public struct Header: JSONObjectReadable, Sendable {
        public let alg: String
        public let typ: String?
        public let kid: String?
        /// The unchecked key of a DPoP proof. It is ignored in all other tokens.
        public let jwk: JSONObject?
        /// Whether `crit` is present. No critical extension is supported.
        public let isCritical: Bool

        public init(_ object: JSONObject) throws {
            alg = try object.string("alg")
            typ = try object.stringIfPresent("typ")
            kid = try object.stringIfPresent("kid")
            jwk = try object.objectIfPresent("jwk")
            isCritical = object.contains("crit")
        }
    }

    public init(parsing text: String) throws(JWSError) {
        let parts = try CompactParts(text)
        do {
            header = try TokenJSON.read(Header.self, from: parts.header)
        } catch {
            throw .malformed
        }
        guard !header.isCritical else { throw .criticalExtension }
        guard let algorithm = SignatureAlgorithm(rawValue: header.alg) else { throw .unsupportedAlgorithm }
        self.algorithm = algorithm.spelledClassically
        payload = parts.payload
        signature = parts.signature
        signingInput = parts.signingInput
    }

    /// Verifies the signature.
    ///
    /// - Throws: `.unsupportedAlgorithm` if the key is for another algorithm than the header names, `.invalidSignature`.
    public func verify(with key: some VerificationKey) throws(JWSError) {
        // The key decides the algorithm. The header must match it (RFC 8725 §3.1).
        guard key.algorithm.spelledClassically == algorithm else { throw .unsupportedAlgorithm }
        guard key.isValidSignature(signature, for: signingInput) else { throw .invalidSignature }
    }
}
