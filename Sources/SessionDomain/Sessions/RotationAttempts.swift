internal import SessionTokens

/// The attempt ids of a session's last rotations, as hashes. They tell a repeated or late request of the same device from a
/// second holder of its key and token.
///
/// An id that was copied from the database does not fit any proof, because only its hash is stored.
package struct RotationAttempts: Sendable, Equatable {
    /// The number of rotations before the last one whose ids are remembered.
    package static let maximumEarlier = 8
    /// Characters of a hash that are kept of an earlier rotation: 48 bits.
    package static let shortLength = 8

    /// The hash of the last rotation's id. `nil` if its proof had none.
    package private(set) var last: String?
    /// The short forms of the ids before it, newest first.
    package private(set) var earlier: [String]

    package init(last: String? = nil, earlier: [String] = []) {
        self.last = last
        self.earlier = Array(earlier.prefix(Self.maximumEarlier))
    }

    /// The hash under which an attempt id is stored and compared.
    package static func hash(_ attempt: String) -> String { DPoPProof.accessTokenHash(attempt) }

    /// Whether this is the hash of the last rotation's id, or of one of those before it.
    func contains(_ hash: String) -> Bool { hash == last || earlier.contains(String(hash.prefix(Self.shortLength))) }

    /// The attempts after one more rotation.
    func adding(_ hash: String?) -> RotationAttempts {
        guard let last else { return RotationAttempts(last: hash, earlier: earlier) }
        return RotationAttempts(last: hash, earlier: [String(last.prefix(Self.shortLength))] + earlier)
    }
}
