internal import Crypto
package import Foundation

/// Server nonces that need no store (RFC 9449 §8): a MAC over the time window, valid on every node with the key.
///
/// The current and the previous window are accepted, so a nonce lives between one and two windows.
package struct DPoPNonceIssuer: Sendable {
    /// The length of a window, in seconds.
    package let window: Int64
    private let key: SymmetricKey
    private let olderKeys: [SymmetricKey]
    private let audience: String

    /// - Parameters:
    ///   - secret: 256 bits that all nodes share.
    ///   - older: Secrets whose nonces are accepted as well, while nodes change to another.
    ///   - audience: What the nonce is good for; a nonce of another app is unknown here.
    ///   - window: The length of a window, in seconds, the same on all nodes.
    package init(secret: Data, older: [Data] = [], audience: String, window: Int64 = 300) {
        self.window = window
        key = SymmetricKey(data: secret)
        olderKeys = older.map(SymmetricKey.init)
        self.audience = audience
    }

    /// The nonce to hand out at a time (seconds since 1970).
    package func current(at time: Int64) -> String {
        value(number: time / window, key: key)
    }

    /// The first second at which a nonce that was handed out in this or the previous window is accepted no more; `nil`
    /// for any other.
    package func end(of nonce: String, at time: Int64) -> Int64? {
        let current = time / window
        let number = [current, current - 1].first { number in
            ([key] + olderKeys).contains { ConstantTime.equal(nonce, value(number: number, key: $0)) }
        }
        return number.map { ($0 + 2) * window }
    }

    private func value(number: Int64, key: SymmetricKey) -> String {
        let message = Data("dpop-nonce\0\(audience)\0\(number)".utf8)
        return Base64URL.encode(HMAC<SHA256>.authenticationCode(for: message, using: key).prefix(18))
    }
}
