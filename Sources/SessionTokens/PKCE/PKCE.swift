internal import Crypto
internal import Foundation

/// Proof Key for Code Exchange, method S256 only (RFC 7636).
public enum PKCE {
    /// `BASE64URL(SHA256(ASCII(verifier)))` (RFC 7636 §4.2).
    public static func challenge(for verifier: String) -> String {
        Base64URL.encode(SHA256.hash(data: Data(verifier.utf8)))
    }

    /// A verifier of 43 characters from 32 random bytes (RFC 7636 §4.1).
    public static func verifier(from randomBytes: [UInt8]) -> String {
        precondition(randomBytes.count >= 32, "a PKCE verifier needs 256 bits")
        return Base64URL.encode(randomBytes)
    }

    /// Whether a verifier has 43–128 unreserved characters (RFC 7636 §4.1).
    public static func isWellFormed(verifier: String) -> Bool {
        (43...128).contains(verifier.utf8.count) && verifier.utf8.allSatisfy(URICharacter.isUnreserved)
    }

    /// Whether a challenge has the form of S256: 43 characters of base64url.
    public static func isWellFormed(challenge: String) -> Bool {
        challenge.utf8.count == 43 && Base64URL.decode(challenge)?.count == 32
    }

    /// Whether the verifier matches the challenge (RFC 7636 §4.6). Compares in constant time.
    public static func verify(verifier: String, against challenge: String) -> Bool {
        isWellFormed(verifier: verifier) && ConstantTime.equal(self.challenge(for: verifier), challenge)
    }
}
