extension App {
    /// The login for an identifier that is used when an app names none.
    package func defaultLogin(with type: IdentifierType) -> OTPLoginConfig? {
        let fitting = otpLogins.filter { $0.channel.identifierType == type }
        return fitting.first(where: \.isDefault) ?? fitting.first
    }

    /// Adds a login, or replaces the one with its id. If it is the default of its channel, no other one is.
    package mutating func set(_ login: OTPLoginConfig) {
        if let index = otpLogins.firstIndex(where: { $0.id == login.id }) {
            otpLogins[index] = login
        } else {
            otpLogins.append(login)
        }
        guard login.isDefault else { return }
        for index in otpLogins.indices where otpLogins[index].id != login.id {
            if otpLogins[index].channel == login.channel { otpLogins[index].isDefault = false }
        }
    }
}
