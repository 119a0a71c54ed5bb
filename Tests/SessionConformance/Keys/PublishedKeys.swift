internal import Foundation
public import SessionTokens

/// Keys printed in RFCs. Their private halves are public: use them in tests only.
public enum PublishedKeys {
    /// RFC 7515 appendix A.3.1, P-256: a device.
    public static let device = key(.es256, d: "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI")
    /// RFC 7517 appendix A.2, P-256: another device.
    public static let otherDevice = key(.es256, d: "870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE")
    /// RFC 8037 appendix A.1, Ed25519: a service.
    public static let service = key(.edDSA, d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A")

    private static func key(_ algorithm: CurveAlgorithm, d: String) -> SigningKey {
        guard let secret = Base64URL.decode(d), let key = SigningKey(algorithm: algorithm, rawRepresentation: secret)
        else { preconditionFailure("the published key is mistyped") }
        return key
    }
}
