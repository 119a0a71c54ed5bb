internal import Crypto
internal import Foundation

/// Why a JSON Web Key is rejected.
public enum JWKError: Error, Equatable {
    /// The key type in `kty` or `crv` is not supported.
    case unsupportedKey
    /// The key has a private or symmetric member (RFC 9449 §4.3 step 7).
    case privateKey
    /// A coordinate is missing, is not canonical base64url or has the wrong length, or the point is not on the curve.
    case invalidCoordinates
}

extension PublicJWK: Codable, JSONObjectReadable {
    private static let privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    public init(from decoder: any Decoder) throws {
        guard case .object(let members) = try JSONValue(from: decoder) else { throw JWKError.unsupportedKey }
        try self.init(JSONObject(members))
    }

    public init(_ object: JSONObject) throws {
        guard !Self.privateMembers.contains(where: object.contains) else { throw JWKError.privateKey }
        switch (try object.string("kty"), try object.stringIfPresent("crv")) {
        case ("EC", "P-256"):
            let (x, y) = (try Self.coordinate("x", in: object), try Self.coordinate("y", in: object))
            guard let key = try? P256.Signing.PublicKey(rawRepresentation: x.bytes + y.bytes) else {
                throw JWKError.invalidCoordinates
            }
            self.init(key, x: x.text, y: y.text)
        case ("OKP", "Ed25519"):
            let x = try Self.coordinate("x", in: object)
            guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: x.bytes) else {
                throw JWKError.invalidCoordinates
            }
            self.init(key, x: x.text)
        default:
            throw JWKError.unsupportedKey
        }
    }

    /// Only the canonical text of 32 bytes is valid, so the text is the one of the thumbprint (RFC 7638 §7).
    private static func coordinate(_ name: String, in object: JSONObject) throws -> (text: String, bytes: Data) {
        // Both curves have coordinates of 32 bytes, with leading zeros (RFC 7518 §6.2.1.2).
        guard let text = try object.stringIfPresent(name), let bytes = Base64URL.decode(text), bytes.count == 32
        else { throw JWKError.invalidCoordinates }
        return (text, bytes)
    }

    /// Writes the required members only, as a proof header needs them.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(requiredMembers)
    }
}
