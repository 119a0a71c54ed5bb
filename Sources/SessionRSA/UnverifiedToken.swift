internal import Foundation
package import SessionTokens

/// A compact JWS of which only the header was read: enough to find the key, and nothing to rely on.
package struct UnverifiedToken: Sendable {
    let parts: CompactParts
    package let algorithm: SignatureAlgorithm
    package let keyID: String
    let type: String?

    /// - Parameter algorithms: What the reader accepts.
    package init(_ token: String, algorithms: Set<SignatureAlgorithm>) throws(JWSError) {
        parts = try CompactParts(token)
        let header = try Self.header(of: parts)
        guard !header.isCritical else { throw .criticalExtension }
        guard let algorithm = SignatureAlgorithm(rawValue: header.alg), algorithms.contains(algorithm) else {
            throw .unsupportedAlgorithm
        }
        guard let keyID = header.kid else { throw .malformed }
        self.algorithm = algorithm
        self.keyID = keyID
        type = header.typ
    }

    private static func header(of parts: CompactParts) throws(JWSError) -> Header {
        do {
            return try TokenJSON.read(Header.self, from: parts.header)
        } catch {
            throw .malformed
        }
    }

    /// The members that are looked at. A key or an address of one in the header is none of them: keys come from the set.
    private struct Header: JSONObjectReadable {
        let alg: String
        let kid: String?
        let typ: String?
        /// Whether `crit` is there at all; whatever it lists, we do not know it (RFC 7515 §4.1.11).
        let isCritical: Bool

        init(_ object: JSONObject) throws {
            alg = try object.string("alg")
            kid = try object.stringIfPresent("kid")
            typ = try object.stringIfPresent("typ")
            isCritical = object.contains("crit")
        }
    }
}
