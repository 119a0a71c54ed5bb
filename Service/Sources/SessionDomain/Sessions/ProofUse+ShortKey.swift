internal import SessionTokens

extension ProofUse {
    /// The key of the proof in a store that keeps eight bytes of each proof and its app: the first ones of `replayKey`.
    ///
    /// An attacker cannot choose the key of a proof that a client will make: its `jti` is random. So the service rejects a new
    /// proof as a used one with a chance of 2^-64 for each proof that the store remembers.
    package var shortKey: Int64 { Self.shortKey(of: replayKey) }

    /// The first eight bytes, big-endian, of a SHA-256 in base64url. Databases contain it, and compute it in SQL, so it never
    /// changes.
    package static func shortKey(of replayKey: String) -> Int64 {
        // Eleven characters have 66 bits.
        var (key, count): (UInt64, Int) = (0, 0)
        for character in replayKey.utf8.prefix(11) {
            count += 1
            let bits = UInt64(Base64URL.bits(of: character) ?? 0)
            key = count < 11 ? key << 6 | bits : key << 4 | bits >> 2
        }
        return Int64(bitPattern: key)
    }
}
