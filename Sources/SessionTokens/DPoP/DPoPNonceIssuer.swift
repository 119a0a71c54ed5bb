internal import Crypto
public import Foundation

/// Issues and checks DPoP nonces without a store (RFC 9449 §8). A nonce is a MAC over the time window.
///
/// All nodes with the same secret accept a nonce. A nonce is valid in its window and in the next one.
public struct DPoPNonceIssuer: Sendable {
    /// The length of a window, in seconds.
    public let window: Int64
    private let key: SymmetricKey
    private let olderKeys: [SymmetricKey]
    private let audience: String

    /// - Parameters:
    ///   - secret: 256 bits that all nodes share.
    ///   - older: Further secrets whose nonces are accepted, while nodes change to another secret.
    ///   - audience: The app or backend that accepts the nonces. Nonces of another audience are invalid.
    ///   - window: The length of a window in seconds, the same on all nodes.
    public init(secret: Data, older: [Data] = [], audience: String, window: Int64 = 300) {
        self.window = window
        key = SymmetricKey(data: secret)
        olderKeys = older.map(SymmetricKey.init)
        self.audience = audience
    }

    /// The second (since 1970) at which the window of a time begins. A client with its nonce received it later.
    public func windowStart(at time: Int64) -> Int64 { time / window * window }

    /// The nonce to issue at a time (seconds since 1970).
    public func current(at time: Int64) -> String {
        value(number: time / window, key: key)
    }

    /// The second (since 1970) at which a nonce expires; `nil` for an invalid or expired nonce.
    public func end(of nonce: String, at time: Int64) -> Int64? {
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
