internal import Foundation

/// The subject and text of one kind of message in one language.
///
/// Mails are sent as text and as HTML. The HTML part is made from the text, so both say the same.
package struct MessageTemplate: Sendable, Equatable, Codable {
    package let channel: OTPLoginConfig.Channel
    package let purpose: TemplatePurpose
    package let locale: MessageLocale
    /// Of a mail only.
    package let subject: String?
    /// Paragraphs are separated by empty lines.
    package let text: String

    package init(
        channel: OTPLoginConfig.Channel, purpose: TemplatePurpose, locale: MessageLocale, subject: String? = nil,
        text: String
    ) {
        self.channel = channel
        self.purpose = purpose
        self.locale = locale
        self.subject = subject
        self.text = text
    }

    /// Whether both are texts for the same messages.
    func replaces(_ other: MessageTemplate) -> Bool {
        channel == other.channel && purpose == other.purpose && locale == other.locale
    }
}

extension MessageTemplate {
    /// Characters of a subject, without the values of its variables.
    package static let maximumSubjectLength = 150
    /// Characters of the text of an SMS: three segments.
    package static let maximumSMSLength = 459
    /// Characters of the text of a mail.
    package static let maximumMailLength = 2000

    /// Rejects a template that could not be sent, or that users should not be sent.
    ///
    /// - Throws: `Refusal.invalidField` with the field `subject` or `text`.
    package func validate() throws(Refusal) {
        switch (channel, subject) {
        case (.sms, nil): break
        case (.sms, .some): throw .invalidField("subject", "must not be set for an SMS")
        case (.email, nil): throw .invalidField("subject", "is required for a mail")
        case (.email, .some(let subject)):
            try Self.check(subject, "subject", longest: Self.maximumSubjectLength)
            guard !subject.unicodeScalars.contains(where: \.isForbiddenInSubject) else {
                throw .invalidField("subject", "must be one line, without control characters")
            }
            try Self.checkLinks(subject, "subject")
            // Mail servers write subjects to their logs, and locked screens show them.
            try checkVariables(subject, "subject", allowed: purpose.variables.filter { $0 != .code })
        }
        try Self.check(
            text, "text", longest: channel == .sms ? Self.maximumSMSLength : Self.maximumMailLength)
        guard !text.unicodeScalars.contains(where: \.isForbiddenInText) else {
            throw .invalidField("text", "must not contain control characters other than line breaks")
        }
        try Self.checkLinks(text, "text")
        let used = try checkVariables(text, "text", allowed: purpose.variables)
        if purpose.hasCode, !used.contains(.code) { throw .invalidField("text", "must contain {{code}}") }
    }

    private static func check(_ text: String, _ field: String, longest: Int) throws(Refusal) {
        guard text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
            throw .invalidField(field, "must not be empty")
        }
        guard text.unicodeScalars.count <= longest else {
            throw .invalidField(field, "must have at most \(longest) characters")
        }
    }

    private static func checkLinks(_ text: String, _ field: String) throws(Refusal) {
        if let problem = LinkedName.problem(in: text) { throw .invalidField(field, problem) }
    }

    /// Rejects a text that is valid alone, and has a link with the name of the app in it, such as `evil.{{app_name}}`.
    ///
    /// - Parameter field: The field that is being set. `nil`: the template is.
    func checkLinks(withName name: String, field: String? = nil) throws(Refusal) {
        for (own, text) in [("subject", subject), ("text", text)] {
            guard let text, let parts = try? TemplateText(text), LinkedName.problem(in: text) == nil else { continue }
            let filled = parts.filled { $0 == .appName ? name : $0.placeholder }
            guard let problem = LinkedName.problem(in: filled) else { continue }
            throw .invalidField(
                field ?? own, problem + (field == nil ? "" : " (in the \(own) of a template of the app)"))
        }
    }

    @discardableResult
    private func checkVariables(
        _ text: String, _ field: String, allowed: [TemplateVariable]
    ) throws(Refusal) -> Set<TemplateVariable> {
        let names = allowed.map(\.placeholder).joined(separator: ", ")
        do throws(TemplateText.Problem) {
            let used = try TemplateText(text).variables
            guard used.isSubset(of: allowed) else {
                let other = used.subtracting(allowed).map(\.placeholder).sorted()[0]
                throw TemplateText.Problem.unknown(String(other.dropFirst(2).dropLast(2)))
            }
            return used
        } catch {
            switch error {
            case .unclosed: throw .invalidField(field, "contains {{ without }}, or }} without {{")
            case .unknown(let name):
                throw .invalidField(
                    field, "must not contain {{\(MemberName.shown(name))}} here; its variables are \(names)")
            }
        }
    }
}

extension Unicode.Scalar {
    /// Whether a subject with this scalar could end its header, or be read in another order than written.
    fileprivate var isForbiddenInSubject: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: isDirectionChange
        }
    }

    fileprivate var isForbiddenInText: Bool { self != "\n" && isForbiddenInSubject }

    /// Embeddings, overrides and isolates, which reorder the text after them (UAX #9 §2).
    private var isDirectionChange: Bool { (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value) }
}

/// Why a message is sent, and for a notice, about what. Each has templates of its own.
package enum TemplatePurpose: String, Sendable, Codable, CaseIterable {
    case signIn = "sign_in"
    case stepUp = "step_up"
    case newIdentifier = "new_identifier"
    case newDevice = "notice_new_device"
    case identifierAdded = "notice_identifier_added"
    case identifierRemoved = "notice_identifier_removed"
    case passwordChanged = "notice_password_changed"
    case passkeyAdded = "notice_passkey_added"
    case passkeyRemoved = "notice_passkey_removed"
    case sessionsEnded = "notice_sessions_ended"

    package init(_ kind: Notice.Kind) {
        switch kind {
        case .newDevice: self = .newDevice
        case .identifierAdded: self = .identifierAdded
        case .identifierRemoved: self = .identifierRemoved
        case .passwordChanged: self = .passwordChanged
        case .passkeyAdded: self = .passkeyAdded
        case .passkeyRemoved: self = .passkeyRemoved
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
        case .newDevice, .identifierAdded, .identifierRemoved, .passwordChanged, .passkeyAdded, .passkeyRemoved,
            .sessionsEnded:
            .notice
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
        case .passwordChanged, .passkeyAdded, .passkeyRemoved: [.appName, .time]
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

/// A text with variables, split into its parts.
struct TemplateText: Sendable, Equatable {
    enum Part: Sendable, Equatable {
        case text(String)
        case variable(TemplateVariable)
    }

    enum Problem: Error, Equatable {
        /// `{{` without `}}`, or the reverse.
        case unclosed
        /// The name as it was written.
        case unknown(String)
    }

    let parts: [Part]

    var variables: Set<TemplateVariable> {
        Set(parts.compactMap { if case .variable(let variable) = $0 { variable } else { nil } })
    }

    /// Splits a text. A variable is `{{name}}`, without spaces; single braces are text.
    ///
    /// By scalar: a brace with a joiner after it, as some languages write it, is one character.
    init(_ text: String) throws(Problem) {
        var (parts, rest) = ([Part](), Substring(text).unicodeScalars)
        while let open = rest.firstPair(of: "{") {
            let before = rest[..<open]
            guard before.firstPair(of: "}") == nil else { throw .unclosed }
            let after = rest[rest.index(open, offsetBy: 2)...]
            guard let close = after.firstPair(of: "}") else { throw .unclosed }
            let name = String(after[..<close])
            guard let variable = TemplateVariable(rawValue: name) else { throw .unknown(name) }
            if !before.isEmpty { parts.append(.text(String(before))) }
            parts.append(.variable(variable))
            rest = after[after.index(close, offsetBy: 2)...]
        }
        guard rest.firstPair(of: "}") == nil else { throw .unclosed }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        self.parts = parts
    }

    /// The text with a value for each variable.
    func filled(_ value: (TemplateVariable) -> String) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .variable(let variable): value(variable)
            }
        }.joined()
    }
}

extension Substring.UnicodeScalarView {
    /// Where a scalar is first followed by itself.
    fileprivate func firstPair(of scalar: Unicode.Scalar) -> Index? {
        zip(indices, indices.dropFirst()).first { self[$0] == scalar && self[$1] == scalar }?.0
    }
}
