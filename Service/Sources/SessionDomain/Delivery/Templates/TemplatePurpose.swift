/// Why a message is sent, and for a notice, about what. Each has templates of its own.
package enum TemplatePurpose: String, Sendable, Codable, CaseIterable {
    case signIn = "sign_in"
    case stepUp = "step_up"
    case newIdentifier = "new_identifier"
    case newDevice = "notice_new_device"
    case identifierAdded = "notice_identifier_added"
    case identifierRemoved = "notice_identifier_removed"
    case passwordChanged = "notice_password_changed"
    case sessionsEnded = "notice_sessions_ended"

    package init(_ kind: Notice.Kind) {
        switch kind {
        case .newDevice: self = .newDevice
        case .identifierAdded: self = .identifierAdded
        case .identifierRemoved: self = .identifierRemoved
        case .passwordChanged: self = .passwordChanged
        case .sessionsEnded: self = .sessionsEnded
        }
    }

    /// - Parameter kind: Of a notice.
    /// - Returns: `nil` for a notice of no known kind.
    package init?(_ purpose: MessagePurpose, notice kind: Notice.Kind?) {
        switch purpose {
        case .signIn: self = .signIn
        case .stepUp: self = .stepUp
        case .newIdentifier: self = .newIdentifier
        case .notice:
            guard let kind else { return nil }
            self.init(kind)
        }
    }

    package var messagePurpose: MessagePurpose {
        switch self {
        case .signIn: .signIn
        case .stepUp: .stepUp
        case .newIdentifier: .newIdentifier
        case .newDevice, .identifierAdded, .identifierRemoved, .passwordChanged, .sessionsEnded: .notice
        }
    }

    /// Whether the message contains a code.
    package var hasCode: Bool { messagePurpose != .notice }

    /// The variables that a text of this purpose may contain.
    package var variables: [TemplateVariable] {
        switch self {
        case .signIn, .stepUp, .newIdentifier: [.code, .appName, .minutes]
        case .newDevice, .sessionsEnded: [.appName, .time, .device]
        case .identifierAdded, .identifierRemoved: [.appName, .time, .identifier]
        case .passwordChanged: [.appName, .time]
        }
    }
}

/// A variable of a template, written as `{{name}}`.
package enum TemplateVariable: String, Sendable, CaseIterable {
    case code
    case appName = "app_name"
    /// Minutes for which a code is valid.
    case minutes
    /// When it happened.
    case time
    case device
    /// The identifier that was added or removed, masked.
    case identifier

    /// As it is written in a template.
    package var placeholder: String { "{{\(rawValue)}}" }
}
