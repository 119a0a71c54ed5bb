internal import Crypto
internal import Foundation
internal import SessionTokens

/// The opaque handle of one verification: 256 random bits that only its client knows.
package enum VerificationToken {
    static func make(environment: ServiceEnvironment) -> String {
        Base64URL.encode(environment.randomBytes(32))
    }

    /// The hash that is stored instead of the token.
    static func hash(_ token: String) -> String {
        Base64URL.encode(SHA256.hash(data: Data(token.utf8)))
    }
}
