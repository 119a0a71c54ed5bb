/// A refresh token: session, generation, and a MAC over both. It is not stored.
///
/// The MAC is a function of its inputs. So the successor of a token can be computed again for a lost answer, and a
/// forged token costs no look-up.
package struct RefreshToken: Sendable, Equatable {
    package let sessionID: String
    package let generation: Int64

    package init(sessionID: String, generation: Int64) {
        self.sessionID = sessionID
        self.generation = generation
    }

    package func encoded(app: AppID, keys: KeyRing) -> String {
        let (keyID, mac) = keys.refreshTokenMAC(message(app: app))
        return "\(sessionID).\(generation).\(keyID).\(mac)"
    }

    /// Reads a token of this app. `nil` for any text that this service did not issue.
    package init?(_ text: String, app: AppID, keys: KeyRing) {
        guard text.utf8.count <= 256 else { return nil }
        var rest = text[...]
        guard let session = Self.next(of: &rest), let digits = Self.next(of: &rest), let keyID = Self.next(of: &rest),
            let generation = Int64(digits), generation >= 0, String(generation) == digits
        else { return nil }
        sessionID = String(session)
        self.generation = generation
        guard keys.isRefreshTokenMAC(String(rest), keyID: String(keyID), for: message(app: app)) else { return nil }
    }

    /// Takes the part before the next dot.
    private static func next(of text: inout Substring) -> Substring? {
        guard let dot = text.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
        defer { text = text[text.utf8.index(after: dot)...] }
        return text[..<dot]
    }

    private func message(app: AppID) -> String { "\(app)\0\(sessionID)\0\(generation)" }
}
