/// What a notice reports.
package enum NoticeOccasion: Sendable, Equatable {
    /// - Parameter provenBy: The identifier whose code the login had. It gets no notice: the person who signed in reads its
    ///   messages.
    case newDevice(Device, provenBy: IdentifierDigest?)
    case identifierAdded(CanonicalIdentifier)
    case identifierRemoved(CanonicalIdentifier)
    case passwordChanged
    /// - Parameter session: The device of the session that ended.
    case sessionEnded(Device)

    package var kind: Notice.Kind {
        switch self {
        case .newDevice: .newDevice
        case .identifierAdded: .identifierAdded
        case .identifierRemoved: .identifierRemoved
        case .passwordChanged: .passwordChanged
        case .sessionEnded: .sessionsEnded
        }
    }

    /// The identifiers that get the notice, those that the user has had longest first.
    ///
    /// A held identifier gets none: a hijacked session may have added it. One that was removed gets the notice of
    /// its removal, held or not.
    ///
    /// - Parameters:
    ///   - user: Before the change.
    ///   - limits: No message goes to a country to which the app sends no codes.
    package func recipients(of user: User, limits: OTPLimits, at now: Timestamp) -> [CanonicalIdentifier] {
        var recipients = user.establishedIdentifiers(at: now)
        switch self {
        case .newDevice(_, let proven): recipients.removeAll { IdentifierDigest($0) == proven }
        case .identifierAdded(let added): recipients.removeAll { $0 == added }
        case .identifierRemoved(let removed):
            recipients.removeAll { $0 == removed }
            // First, so that a limit of recipients never leaves it out.
            recipients.insert(user.identifiers.first { $0 == removed } ?? removed, at: 0)
        case .passwordChanged, .sessionEnded: break
        }
        return Array(recipients.filter(limits.allows).prefix(Notice.maximumRecipients))
    }

    /// What the variables of the template stand for.
    package func values(at now: Timestamp) -> TemplateValues {
        var values = TemplateValues()
        values.time = now
        switch self {
        case .newDevice(let device, _), .sessionEnded(let device): values.device = DeviceKind(device)
        case .identifierAdded(let identifier), .identifierRemoved(let identifier):
            values.identifier = identifier.maskedInMessages
        case .passwordChanged: break
        }
        return values
    }
}

extension CanonicalIdentifier {
    /// Characters of an address that are shown.
    private static let maximumShownLength = 64

    /// As `masked`, in characters of the GSM alphabet where possible, and short enough for an SMS.
    fileprivate var maskedInMessages: String {
        let text = String(masked.map { $0 == "•" ? "*" : $0 })
        return text.count <= Self.maximumShownLength ? text : text.prefix(Self.maximumShownLength) + "..."
    }
}
