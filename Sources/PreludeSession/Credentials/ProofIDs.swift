internal import SessionTokens

/// New `jti` values of proofs, each with 128 random bits (RFC 9449 §4.2).
///
/// It takes the random bytes of 16 proofs at once: a call of the system for each proof took 4 % of the time of its
/// signature. An id must be unique. It is no secret, so its bytes may wait in memory.
struct ProofIDs: Sendable {
    private static let length = 16
    private static let idsOfOneCall = 16

    private var unused: ArraySlice<UInt8> = []

    /// - Parameter randomBytes: Returns that many random bytes.
    mutating func next(_ randomBytes: (Int) -> [UInt8]) -> String {
        if unused.count < Self.length { unused = randomBytes(Self.length * Self.idsOfOneCall)[...] }
        defer { unused = unused.dropFirst(Self.length) }
        return Base64URL.encode(unused.prefix(Self.length))
    }
}
