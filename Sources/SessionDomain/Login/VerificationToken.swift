internal import Crypto
internal import Foundation
internal import SessionTokens

/// The opaque handle of one verification: 256 random bits, known to whoever started it and nobody else.
package enum VerificationToken {
    static func make(environment: ServiceEnvironment) -> String {
        Base64URL.encode(environment.randomBytes(32))
    }

    /// What is stored instead of the token.
    static func hash(_ token: String) -> String {
        Base64URL.encode(SHA256.hash(data: Data(token.utf8)))
    }
}
