internal import Foundation

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
