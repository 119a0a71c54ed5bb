public import PreludeSession

#if canImport(Combine)
    public import Combine
#endif

/// The model of a view in which a user chooses a new password.
///
/// It checks each change against the app's rules, on the device.
@MainActor
public final class NewPasswordModel: ObservableObject {
    /// What happens to the password.
    public enum Phase: Sendable, Hashable {
        /// The user enters a password.
        case editing
        /// The service stores the password.
        case saving
        /// The session needs a scope first. Do a step-up, and then call `save()` again.
        case needsStepUp
        /// The password was changed. It is no longer in the model.
        case saved
    }

    /// The scope that a step-up must grant when `phase` is `needsStepUp`.
    public static let scope = "prld:pwd:write"

    private struct Content: Sendable {
        var password = ""
        var compliancy: PreludePasswordCompliancy?
        var phase = Phase.editing
        var message: SessionUIText?
    }

    private var content = Content() {
        willSet { objectWillChange.send() }
    }
    private let client: PreludeSessionClient
    private let onSave: @MainActor () -> Void

    /// Creates a model for the password of the signed-in user.
    ///
    /// - Parameters:
    ///   - client: The client of the user's session.
    ///   - onSave: Called when the password was changed.
    public init(client: PreludeSessionClient, onSave: @escaping @MainActor () -> Void = {}) {
        self.client = client
        self.onSave = onSave
    }

    /// The password, as the user typed it. A change removes the message about the last one.
    public var password: String {
        get { content.password }
        set {
            guard isEditable, newValue != content.password else { return }
            content.password = newValue
            content.message = nil
            content.phase = .editing
        }
    }

    /// What happens to the password.
    public var phase: Phase { content.phase }

    /// The text below the field; `nil` if there is none.
    public var message: SessionUIText? { content.message }

    /// Whether the message is about an error.
    public var isProblem: Bool { content.message != nil && content.phase != .saved }

    /// The app's rules, and which of them the password meets. Empty until `loadRules()` has succeeded.
    public var rules: [Rule] {
        guard let compliancy = content.compliancy else { return [] }
        return PreludeSessionClient.validate(password: content.password, against: compliancy).results
            .map(Rule.init)
    }

    /// Whether the user can change the password in the field.
    public var isEditable: Bool { content.phase != .saving }

    /// Whether the password meets all known rules. Without rules the service decides.
    public var canSave: Bool { isEditable && !content.password.isEmpty && rules.allSatisfy(\.isMet) }

    /// Fetches the app's rules. An error is shown; the password can be saved without them.
    public func loadRules() async {
        do {
            content.compliancy = try await client.passwordCompliancy()
        } catch {
            content.message = .shown(for: error, in: .session)
        }
    }

    /// Changes the password. If it needs a step-up first, `phase` becomes `needsStepUp`.
    public func save() async {
        guard canSave else { return }
        content.phase = .saving
        content.message = nil
        do {
            try await client.changePassword(RedactedString(content.password))
            content = Content(
                compliancy: content.compliancy, phase: .saved, message: SessionUIText(.passwordChanged))
            onSave()
        } catch PreludeSessionError.insufficientScope {
            content.phase = .needsStepUp
        } catch {
            content.phase = .editing
            content.message = .shown(for: error, in: .session)
        }
    }

    /// Whether the sheet of the step-up is shown. Closing it returns to the field.
    var isSteppingUp: Bool {
        get { content.phase == .needsStepUp }
        set { if !newValue { cancelStepUp() } }
    }

    /// Returns to the field when the user has cancelled the step-up.
    public func cancelStepUp() {
        if content.phase == .needsStepUp { content.phase = .editing }
    }
}

extension NewPasswordModel {
    /// One rule of the app for passwords, and whether the current password meets it.
    public struct Rule: Sendable, Hashable, Identifiable {
        /// The kind of rule.
        public let criterion: PreludePasswordCompliancyCriterion
        /// The rule's count: a maximum for `maxLength`, a minimum for the others.
        public let expected: Int
        /// Whether the password meets the rule.
        public let isMet: Bool

        /// The kind of rule. Each kind occurs once.
        public var id: PreludePasswordCompliancyCriterion { criterion }

        fileprivate init(_ result: PreludePasswordCompliancyResult) {
            criterion = result.criterion
            expected = result.expected
            isMet = result.valid
        }

        /// What the user must do.
        public var text: SessionUIText { SessionUIText(key, .count(expected)) }

        private var key: SessionUIText.Key {
            switch criterion {
            case .minLength: .minimumLength
            case .maxLength: .maximumLength
            case .uppercase: .minimumUppercase
            case .lowercase: .minimumLowercase
            case .numbers: .minimumNumbers
            // `symbols`: the results are of the rules of this version.
            default: .minimumSymbols
            }
        }
    }
}
