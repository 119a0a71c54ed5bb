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
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Substring.init)
        guard parts.count == 4, let generation = Int64(parts[1]), generation >= 0,
            String(generation) == parts[1]
        else { return nil }
        sessionID = String(parts[0])
        self.generation = generation
        guard keys.isRefreshTokenMAC(String(parts[3]), keyID: String(parts[2]), for: message(app: app)) else {
            return nil
        }
    }

    private func message(app: AppID) -> String { "\(app)\0\(sessionID)\0\(generation)" }
}
