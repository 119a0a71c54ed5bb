internal import Crypto
package import Foundation

/// Server nonces that need no store (RFC 9449 §8): a MAC over the time window, valid on every node with the key.
///
/// The current and the previous window are accepted, so a nonce lives between one and two windows.
package struct DPoPNonce: Sendable {
    /// The length of a window, in seconds.
    package static let window: Int64 = 300

    private let key: SymmetricKey
    private let olderKeys: [SymmetricKey]
    private let audience: String

    /// - Parameters:
    ///   - secret: 256 bits that all nodes share.
    ///   - older: Secrets whose nonces are accepted as well, while nodes change to another.
    ///   - audience: What the nonce is good for; a nonce of another app is unknown here.
    package init(secret: Data, older: [Data] = [], audience: String) {
        key = SymmetricKey(data: secret)
        olderKeys = older.map(SymmetricKey.init)
        self.audience = audience
    }

    /// The nonce to hand out at a time (seconds since 1970).
    package func current(at time: Int64) -> String {
        value(window: time / Self.window, key: key)
    }

    /// Whether a nonce was handed out in this or the previous window.
    package func isValid(_ nonce: String, at time: Int64) -> Bool {
        let window = time / Self.window
        return ([key] + olderKeys).contains { key in
            [window, window - 1].contains { ConstantTime.equal(nonce, value(window: $0, key: key)) }
        }
    }

    private func value(window: Int64, key: SymmetricKey) -> String {
        let message = Data("dpop-nonce\0\(audience)\0\(window)".utf8)
        return Base64URL.encode(HMAC<SHA256>.authenticationCode(for: message, using: key).prefix(18))
    }
}
