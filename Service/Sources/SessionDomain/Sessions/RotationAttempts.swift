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
    /// The short forms of the ids before it, newest first, as stores keep them (`StoredWords`). Each rotation writes them, and
    /// almost none reads them.
    package private(set) var earlierWords: String

    package init(last: String? = nil, earlier: [String] = []) {
        self.init(last: last, earlierWords: StoredWords.text(of: Array(earlier.prefix(Self.maximumEarlier))))
    }

    /// The attempts of a stored session.
    package init(last: String?, earlierWords: String) {
        self.last = last
        self.earlierWords = earlierWords
    }

    package var earlier: [String] { StoredWords.read(earlierWords) }

    /// The hash under which an attempt id is stored and compared.
    package static func hash(_ attempt: String) -> String { DPoPProof.accessTokenHash(attempt) }

    /// Whether this is the hash of the last rotation's id, or of one of those before it.
    func contains(_ hash: String) -> Bool { hash == last || earlier.contains(String(hash.prefix(Self.shortLength))) }

    /// The attempts after one more rotation.
    func adding(_ hash: String?) -> RotationAttempts {
        guard let last else { return RotationAttempts(last: hash, earlierWords: earlierWords) }
        var words = String(last.prefix(Self.shortLength))
        let kept = firstWords(Self.maximumEarlier - 1)
        if !kept.isEmpty {
            words += " "
            words += kept
        }
        return RotationAttempts(last: hash, earlierWords: words)
    }

    private func firstWords(_ count: Int) -> Substring {
        var spaces = 0
        let end = earlierWords.utf8.firstIndex { byte in
            if byte == UInt8(ascii: " ") { spaces += 1 }
            return spaces == count
        }
        return earlierWords[..<(end ?? earlierWords.endIndex)]
    }
}
