/// A device on which a user has signed in before. It opens a budget of its own for attempts at this user's identifiers.
///
/// Its token is a MAC and is not stored. It proves nothing else: it replaces no code and no password.
package struct KnownDevice: Sendable, Equatable {
    /// Seconds for which a token is valid.
    package static let lifetime = 180 * 86_400
    /// Seconds by which the clock of the node that issued a token may have been ahead.
    private static let tolerance = 86_400

    package let userID: String
    /// Random, new at each login.
    package let id: String
    package let issuedAt: Timestamp

    package init(userID: String, id: String, issuedAt: Timestamp) {
        self.userID = userID
        self.id = id
        self.issuedAt = issuedAt
    }

    var owner: BudgetOwner { .device(id: id, userID: userID) }

    package func token(app: AppID, keys: KeyRing) -> String {
        let (keyID, mac) = keys.knownDeviceMAC(message(app: app))
        return "\(userID).\(id).\(issuedAt.seconds).\(keyID).\(mac)"
    }

    /// Reads a token of this app. `nil` for an expired one, and for any text that this service did not issue.
    package init?(_ token: String?, app: AppID, keys: KeyRing, now: Timestamp) {
        guard let token, token.utf8.count <= 256 else { return nil }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 5, let seconds = Int64(parts[2]), String(seconds) == parts[2],
            // A larger number is not a time that can be represented.
            (0...now.seconds + Int64(Self.tolerance)).contains(seconds)
        else { return nil }
        self.init(userID: String(parts[0]), id: String(parts[1]), issuedAt: Timestamp(seconds: seconds))
        guard issuedAt + Self.lifetime > now,
            keys.isKnownDeviceMAC(String(parts[4]), keyID: String(parts[3]), for: message(app: app))
        else { return nil }
    }

    private func message(app: AppID) -> String { "\(app)\0\(userID)\0\(id)\0\(issuedAt.seconds)" }
}
