internal import Crypto
internal import SessionTokens

extension ProofUse {
    /// The key of the proof in a store that keeps eight bytes of each proof, whatever its app.
    package func shortKey(app: AppID) -> Int64 { Self.shortKey(of: replayKey, app: app.rawValue) }

    /// The first eight bytes, big-endian, of the SHA-256 of app, full stop and replay key. Databases contain it, so it never
    /// changes.
    ///
    /// An attacker cannot choose the key of a proof that a client will make: its `jti` is random. So the service rejects a new
    /// proof as a used one with a chance of 2^-64 for each proof that the store remembers.
    package static func shortKey(of replayKey: String, app: String) -> Int64 {
        SHA256.digest(of: app, ".", replayKey).withUnsafeBytes {
            Int64(bigEndian: $0.loadUnaligned(as: Int64.self))
        }
    }
}
