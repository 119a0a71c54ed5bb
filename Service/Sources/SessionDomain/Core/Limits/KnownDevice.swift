/// A device on which a user has signed in before. It opens a budget of its own for attempts at this user's identifiers.
///
/// Its token is a MAC and is not stored. It proves nothing else: it replaces no code and no password.
package struct KnownDevice: Sendable, Equatable {
    /// Seconds for which a token is valid at most, by `SessionPolicy.knownDeviceLifetime`.
    package static let longestLifetime = 180 * 86_400
    /// Seconds by which the clock of the node that issued a token may have been ahead.
    private static let tolerance = 86_400

    package let userID: String
    /// Random, new at each login.
    package let id: String
    package let issuedAt: Timestamp
    /// `User.loginEpoch` at the login. The device is known while the user has the same count.
    package let loginEpoch: Int64

    /// What a device is at an identifier.
    package enum Standing: Sendable, Equatable {
        /// The device of another user, or none.
        case stranger
        /// A device of the user who has the identifier, which a later change has ended.
        case former
        case known
    }

    package init(userID: String, id: String, issuedAt: Timestamp, loginEpoch: Int64) {
        self.userID = userID
        self.id = id
        self.issuedAt = issuedAt
        self.loginEpoch = loginEpoch
    }

    /// - Parameter epoch: `User.loginEpoch` of this device's user; `nil` if the user does not have the identifier.
    package func standing(atEpoch epoch: Int64?) -> Standing {
        guard let epoch else { return .stranger }
        return loginEpoch == epoch ? .known : .former
    }

    package func standing(for user: User) -> Standing {
        standing(atEpoch: userID == user.id ? user.loginEpoch : nil)
    }

    /// Who pays for a call with this device.
    func owner(of identifier: CanonicalIdentifier, as standing: Standing) -> BudgetOwner {
        switch standing {
        case .stranger: .anonymous(identifier)
        case .former: .formerDevices(userID: userID)
        case .known: .device(id: id, userID: userID)
        }
    }

    package func token(app: AppID, keys: KeyRing) -> String {
        let (keyID, mac) = keys.knownDeviceMAC(message(app: app))
        return "\(userID).\(id).\(issuedAt.seconds).\(loginEpoch).\(keyID).\(mac)"
    }

    /// Reads a token of this app. `nil` for an expired one, and for any text that this service did not issue.
    package init?(
        _ token: String?, app: AppID, lifetime: Int, keys: KeyRing, now: Timestamp
    ) {
        guard let token, token.utf8.count <= 256 else { return nil }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 6, let seconds = Int64(parts[2]), String(seconds) == parts[2],
            let epoch = Int64(parts[3]), String(epoch) == parts[3],
            // A larger number is not a time that can be represented.
            (0...now.seconds + Int64(Self.tolerance)).contains(seconds)
        else { return nil }
        self.init(
            userID: String(parts[0]), id: String(parts[1]), issuedAt: Timestamp(seconds: seconds), loginEpoch: epoch)
        guard issuedAt + lifetime > now,
            keys.isKnownDeviceMAC(String(parts[5]), keyID: String(parts[4]), for: message(app: app))
        else { return nil }
    }

    private func message(app: AppID) -> String { "\(app)\0\(userID)\0\(id)\0\(issuedAt.seconds)\0\(loginEpoch)" }
}
