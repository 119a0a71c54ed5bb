package import Foundation
package import SessionTokens

/// A compact JWS of somebody else, signed with RS256 (RFC 7518 §3.3) and verified with a key of their published set.
///
/// A value exists only after its signature was verified. Times, audience and `typ` are the caller's to check.
package struct RS256Token: Sendable {
    package let keyID: String
    /// The header's `typ`, which the signature covers.
    package let type: String?
    package let payload: Data

    /// Verifies header, key and signature, in this order.
    ///
    /// - Throws: `JWSError.unknownKey` when the set lacks the `kid`, which is a reason to fetch the set again; any other
    ///   case is a reason to refuse the token.
    package init(verifying token: String, keys: RSAKeySet) throws(JWSError) {
        let parts = try CompactParts(token)
        let header = try Self.header(of: parts)
        guard !header.isCritical else { throw .criticalExtension }
        guard header.alg == "RS256" else { throw .unsupportedAlgorithm }
        guard let keyID = header.kid else { throw .malformed }
        guard let key = keys.key(id: keyID) else { throw .unknownKey }
        guard key.isValidRS256(parts.signature, for: parts.signingInput) else { throw .invalidSignature }
        self.keyID = keyID
        type = header.typ
        payload = parts.payload
    }

    /// The payload as claims, read strictly.
    package func claims<Claims: Decodable>(as type: Claims.Type) throws(JWSError) -> Claims {
        do {
            return try TokenJSON.decode(type, from: payload)
        } catch {
            throw .invalidClaims
        }
    }

    private static func header(of parts: CompactParts) throws(JWSError) -> Header {
        do {
            return try TokenJSON.decode(Header.self, from: parts.header)
        } catch {
            throw .malformed
        }
    }

    /// The members that are looked at. A key or an address of one in the header is none of them: keys come from the set.
    private struct Header: Decodable {
        private enum Member: CodingKey { case alg, kid, typ, crit }

        let alg: String
        let kid: String?
        let typ: String?
        /// Whether `crit` is there at all; whatever it lists, we do not know it (RFC 7515 §4.1.11).
        let isCritical: Bool

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Member.self)
            alg = try members.decode(String.self, forKey: .alg)
            kid = try members.decodeIfPresent(String.self, forKey: .kid)
            typ = try members.decodeIfPresent(String.self, forKey: .typ)
            isCritical = members.contains(.crit)
        }
    }
}
