#if canImport(SwiftUI)
    public import SwiftUI

    /// The look of the views of this module. Set it with `sessionUIStyle(_:)`.
    ///
    /// Each part has a default. A style implements the parts that it changes, as a view of the part's configuration.
    ///
    /// ```swift
    /// struct PillStyle: SessionUIStyle {
    ///     func makeAction(_ action: SessionUIActionConfiguration) -> some View {
    ///         Button(role: action.role, action: action.perform) { action.label }.clipShape(Capsule())
    ///     }
    /// }
    /// ```
    ///
    /// Fonts, the tint, the color scheme and the size of text come from the environment, as in all of SwiftUI.
    @MainActor @preconcurrency
    public protocol SessionUIStyle {
        /// The view of a field for a code.
        associatedtype CodeField: View
        /// The view of a button.
        associatedtype Action: View
        /// The view of a message.
        associatedtype Message: View
        /// The view of a rule for passwords.
        associatedtype Rule: View
        /// The view of a session in a list.
        associatedtype SessionRow: View

        /// Returns the field for a code.
        ///
        /// - Parameter field: The text field, and what it contains.
        @ViewBuilder func makeCodeField(_ field: SessionUICodeFieldConfiguration) -> CodeField
        /// Returns a button.
        ///
        /// - Parameter action: The label, and what the button does.
        @ViewBuilder func makeAction(_ action: SessionUIActionConfiguration) -> Action
        /// Returns a message about an error or a success.
        ///
        /// - Parameter message: The text and its kind.
        @ViewBuilder func makeMessage(_ message: SessionUIMessageConfiguration) -> Message
        /// Returns a rule for passwords.
        ///
        /// - Parameter rule: The text, and whether the password meets the rule.
        @ViewBuilder func makeRule(_ rule: SessionUIPasswordRuleConfiguration) -> Rule
        /// Returns a session in a list.
        ///
        /// - Parameter session: The texts, and the button that revokes the session.
        @ViewBuilder func makeSessionRow(_ session: SessionUISessionRowConfiguration) -> SessionRow
    }

    extension SessionUIStyle {
        /// Returns a box for each digit, or one plain field for accessibility sizes, on Apple TV and on Apple Watch.
        public func makeCodeField(_ field: SessionUICodeFieldConfiguration) -> some View {
            DefaultCodeField(field: field)
        }

        /// Returns a wide button for the main action, and plain buttons for the others.
        public func makeAction(_ action: SessionUIActionConfiguration) -> some View { DefaultAction(action: action) }

        /// Returns the text beside a symbol. Color alone carries no meaning.
        public func makeMessage(_ message: SessionUIMessageConfiguration) -> some View {
            DefaultMessage(message: message)
        }

        /// Returns the text beside a symbol that shows whether the rule is met.
        public func makeRule(_ rule: SessionUIPasswordRuleConfiguration) -> some View { DefaultRule(rule: rule) }

        /// Returns the name of the device above when it was used, and the button.
        public func makeSessionRow(_ session: SessionUISessionRowConfiguration) -> some View {
            DefaultSessionRow(session: session)
        }

        func codeField(_ field: SessionUICodeFieldConfiguration) -> AnyView { AnyView(makeCodeField(field)) }
        func action(_ action: SessionUIActionConfiguration) -> AnyView { AnyView(makeAction(action)) }
        func message(_ message: SessionUIMessageConfiguration) -> AnyView { AnyView(makeMessage(message)) }
        func rule(_ rule: SessionUIPasswordRuleConfiguration) -> AnyView { AnyView(makeRule(rule)) }
        func sessionRow(_ session: SessionUISessionRowConfiguration) -> AnyView { AnyView(makeSessionRow(session)) }
    }

    /// The style of the views if the app sets none.
    public struct DefaultSessionUIStyle: SessionUIStyle {
        /// Creates the style.
        nonisolated public init() {}
    }

    extension View {
        /// Sets the style of the session views in this view.
        ///
        /// - Parameter style: The style. It also applies in sheets of these views.
        public func sessionUIStyle(_ style: some SessionUIStyle) -> some View {
            environment(\.sessionUIStyle, style)
        }
    }

    extension EnvironmentValues {
        private struct StyleKey: EnvironmentKey {
            static var defaultValue: any SessionUIStyle { DefaultSessionUIStyle() }
        }

        var sessionUIStyle: any SessionUIStyle {
            get { self[StyleKey.self] }
            set { self[StyleKey.self] = newValue }
        }
    }

    /// What a style knows about the field for a code.
    @MainActor @preconcurrency
    public struct SessionUICodeFieldConfiguration {
        /// The text field, with its keyboard, autofill and label for VoiceOver. A style must show it.
        public let field: AnyView
        /// The digits so far.
        public let code: String
        /// The number of digits.
        public let length: Int
        /// Whether the field has the focus.
        public let isFocused: Bool
        /// Whether the user can change the digits.
        public let isEditable: Bool
        /// Whether the last code was rejected.
        public let isProblem: Bool
        /// Gives the field the focus. Call it when the user taps the decoration.
        public let focus: @MainActor () -> Void
    }

    /// What a style knows about a button.
    @MainActor @preconcurrency
    public struct SessionUIActionConfiguration {
        /// The importance of a button.
        public enum Prominence: Sendable, Hashable {
            /// The main action of a view.
            case primary
            /// Another action.
            case secondary
        }

        /// The text of the button.
        public let label: Text
        /// The importance.
        public let prominence: Prominence
        /// `.destructive` for a sign-out.
        public let role: ButtonRole?
        /// Whether the action is running. The button is disabled meanwhile.
        public let isRunning: Bool
        /// Does what the button says.
        public let perform: @MainActor () -> Void
    }

    /// What a style knows about a message.
    @MainActor @preconcurrency
    public struct SessionUIMessageConfiguration {
        /// The text. VoiceOver announces it by itself.
        public let text: Text
        /// Whether it is about an error.
        public let isProblem: Bool
    }

    /// What a style knows about a rule for passwords.
    @MainActor @preconcurrency
    public struct SessionUIPasswordRuleConfiguration {
        /// What the user must do.
        public let text: Text
        /// Whether the password meets the rule.
        public let isMet: Bool
    }

    /// What a style knows about a session in a list.
    @MainActor @preconcurrency
    public struct SessionUISessionRowConfiguration {
        /// The session.
        public let item: SessionListModel.Item
        /// The name of the device.
        public let title: Text
        /// “This device”, or when the session was last used; `nil` if that is unknown.
        public let detail: Text?
        /// The button that revokes the session.
        public let revoke: AnyView
    }

    /// A rule beside a symbol. The shape of the symbol differs as well as its color.
    struct DefaultRule: View {
        let rule: SessionUIPasswordRuleConfiguration

        var body: some View {
            HStack(alignment: .firstTextBaseline, spacing: 8) {
                Image(systemName: rule.isMet ? "checkmark.circle.fill" : "circle")
                    .foregroundStyle(rule.isMet ? Color.green : Color.secondary)
                    .accessibilityHidden(true)
                rule.text
                    .font(.footnote)
                    .foregroundStyle(rule.isMet ? Color.secondary : Color.primary)
                    .fixedSize(horizontal: false, vertical: true)
            }
        }
    }
#endif
