package import Foundation

/// A private key that signs tokens, with one algorithm (RFC 8725 §3.1).
package protocol TokenSigner: Sendable {
    /// The `kid` that its tokens carry.
    var keyID: String { get }
    var algorithm: SignatureAlgorithm { get }
    /// The signature as JWS wants it (RFC 7515 §5.1).
    func signature(for message: Data) throws -> Data
}
