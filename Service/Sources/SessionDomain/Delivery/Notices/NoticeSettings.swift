/// Which notices the users of an app get.
///
/// Those about credentials are on by default: a thief of an account changes them. A login from a new device is
/// more often the user's own, so its notice is off until an operator turns it on.
package struct NoticeSettings: SettingsGroup {
    package var newDevice = false
    package var identifierAdded = true
    package var identifierRemoved = true
    package var passwordChanged = true
    package var passkeyAdded = true
    package var passkeyRemoved = true
    package var sessionsEnded = true

    package init() {}

    package func isOn(_ kind: Notice.Kind) -> Bool {
        switch kind {
        case .newDevice: newDevice
        case .identifierAdded: identifierAdded
        case .identifierRemoved: identifierRemoved
        case .passwordChanged: passwordChanged
        case .passkeyAdded: passkeyAdded
        case .passkeyRemoved: passkeyRemoved
        case .sessionsEnded: sessionsEnded
        }
    }
}

extension NoticeSettings {
    package static let defaults = Self()
    package static var place: any WritableKeyPath<App, Self> & Sendable { \.messages.notices }

    package static let schema = SettingsSchema<Self>(
        "notices",
        [
            .init(
                nil,
                [
                    .flag("password_changed", \.passwordChanged, "The password was changed"),
                    .flag("passkey_added", \.passkeyAdded, "A passkey was added"),
                    .flag("passkey_removed", \.passkeyRemoved, "A passkey was removed"),
                    .flag("identifier_added", \.identifierAdded, "An e-mail address or phone number was added"),
                    .flag("identifier_removed", \.identifierRemoved, "An e-mail address or phone number was removed"),
                    .flag("sessions_ended", \.sessionsEnded, "All sessions were ended"),
                    .flag(
                        "new_device", \.newDevice, "A sign-in from a new device",
                        hint: "Most of them are the user's own."),
                ])
        ])
}
