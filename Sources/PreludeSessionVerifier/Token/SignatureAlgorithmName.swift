/// The name of a JWS algorithm (RFC 7518 §3.1, RFC 8037 §3.1, RFC 9864 §2.2).
public struct SignatureAlgorithmName: RawRepresentable, Hashable, Sendable {
    /// The value of `alg`.
    public let rawValue: String

    /// Creates a name. The verifier never accepts algorithms that it does not support.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Ed25519 under its older name. ``edDSA`` and ``ed25519`` mean the same: each one accepts both names.
    public static let edDSA = SignatureAlgorithmName(rawValue: "EdDSA")
    /// Ed25519 under its name of RFC 9864.
    public static let ed25519 = SignatureAlgorithmName(rawValue: "Ed25519")
    /// ECDSA with P-256 and SHA-256.
    public static let es256 = SignatureAlgorithmName(rawValue: "ES256")
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    public static let rs256 = SignatureAlgorithmName(rawValue: "RS256")
}
