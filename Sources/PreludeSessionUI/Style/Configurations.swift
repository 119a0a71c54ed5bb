#if canImport(SwiftUI)
    public import SwiftUI

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
#endif
