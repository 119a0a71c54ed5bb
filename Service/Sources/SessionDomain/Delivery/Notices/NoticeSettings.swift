/// Which notices the users of an app get.
///
/// Those about credentials are on by default: a thief of an account changes them. A login from a new device is
/// more often the user's own, so its notice is off until an operator turns it on.
package struct NoticeSettings: Sendable, Equatable, Codable {
    package var newDevice = false
    package var identifierAdded = true
    package var identifierRemoved = true
    package var passwordChanged = true
    package var sessionsEnded = true

    package init() {}

    package func isOn(_ kind: Notice.Kind) -> Bool {
        switch kind {
        case .newDevice: newDevice
        case .identifierAdded: identifierAdded
        case .identifierRemoved: identifierRemoved
        case .passwordChanged: passwordChanged
        case .sessionsEnded: sessionsEnded
        }
    }
}

extension NoticeSettings {
    private enum CodingKeys: CodingKey {
        case newDevice, identifierAdded, identifierRemoved, passwordChanged, sessionsEnded
    }

    /// Decodes stored settings. A setting that is missing in older ones has its default.
    package init(from decoder: any Decoder) throws {
        self.init()
        let stored = try decoder.container(keyedBy: CodingKeys.self)
        func read(_ key: CodingKeys, _ setting: inout Bool) throws {
            if let value = try stored.decodeIfPresent(Bool.self, forKey: key) { setting = value }
        }
        try read(.newDevice, &newDevice)
        try read(.identifierAdded, &identifierAdded)
        try read(.identifierRemoved, &identifierRemoved)
        try read(.passwordChanged, &passwordChanged)
        try read(.sessionsEnded, &sessionsEnded)
    }
}
