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
    /// As `masked`, in characters of the GSM alphabet where possible.
    ///
    /// Of the domain of an address only the first letter and the last label are shown, `m***@e***.com`: a thief can add an
    /// address whose domain is a sentence or a link. A label with other letters than ASCII has the form `xn--`, or is `***`.
    fileprivate var maskedInMessages: String {
        guard type == .emailAddress else { return String(masked.map { $0 == "•" ? "*" : $0 }) }
        let parts = masked.split(separator: "@", maxSplits: 1)
        guard parts.count == 2, let first = parts[1].first else { return "***" }
        let last = parts[1].split(separator: ".").last ?? ""
        let shown = last.count <= 10 && last.allSatisfy { $0.isASCII && $0.isLetter } ? String(last) : "***"
        return "\(parts[0])@\(first.isASCII ? String(first) : "")***.\(shown)"
    }
}
