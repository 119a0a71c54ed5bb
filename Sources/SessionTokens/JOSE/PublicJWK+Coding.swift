internal import Crypto
internal import Foundation

/// Why a JSON Web Key was refused.
package enum JWKError: Error, Equatable {
    /// `kty` or `crv` names a kind of key that is not supported.
    case unsupportedKey
    /// A private or symmetric member is present (RFC 9449 §4.3 step 7).
    case privateKey
    /// A coordinate is missing, not canonical base64url, of the wrong length, or no point of the curve.
    case invalidCoordinates
}

extension PublicJWK: Codable {
    private enum Member: String, CodingKey, CaseIterable {
        case kty, crv, x, y
        case d, p, q, dp, dq, qi, oth, k
        case kid, alg, use
    }

    private static let privateMembers: [Member] = [.d, .p, .q, .dp, .dq, .qi, .oth, .k]

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        guard !Self.privateMembers.contains(where: members.contains) else { throw JWKError.privateKey }
        let type = try members.decode(String.self, forKey: .kty)
        let curve = try members.decodeIfPresent(String.self, forKey: .crv)
        switch (type, curve) {
        case ("EC", "P-256"):
            let point = try Self.coordinate(.x, in: members) + Self.coordinate(.y, in: members)
            guard let key = try? P256.Signing.PublicKey(rawRepresentation: point) else {
                throw JWKError.invalidCoordinates
            }
            self.init(key)
        case ("OKP", "Ed25519"):
            guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: Self.coordinate(.x, in: members))
            else { throw JWKError.invalidCoordinates }
            self.init(key)
        default:
            throw JWKError.unsupportedKey
        }
    }

    private static func coordinate(_ member: Member, in members: KeyedDecodingContainer<Member>) throws -> Data {
        // Both curves have 32-byte coordinates; RFC 7518 §6.2.1.2 wants leading zeros kept.
        guard let text = try members.decodeIfPresent(String.self, forKey: member), let bytes = Base64URL.decode(text),
            bytes.count == 32
        else { throw JWKError.invalidCoordinates }
        return bytes
    }

    /// Writes the required members only: what a proof header carries.
    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Member.self)
        for (name, value) in requiredMembers {
            guard let member = Member(rawValue: name) else { continue }
            try members.encode(value, forKey: member)
        }
    }
}
