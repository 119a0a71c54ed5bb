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
#endif
