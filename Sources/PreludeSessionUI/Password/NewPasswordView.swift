// Apple Watch has no keyboard for secrets.
#if canImport(SwiftUI) && !os(watchOS)
    public import PreludeSession
    public import SwiftUI

    /// Lets a user choose a new password, with the app's rules while typing. Does the step-up that the change needs.
    ///
    /// It exists on all systems except watchOS.
    public struct NewPasswordView: View {
        @StateObject private var model: NewPasswordModel
        private let client: PreludeSessionClient

        @Environment(\.locale) private var locale
        @Environment(\.sessionUIStyle) private var style
        @State private var isShown = false
        @FocusState private var isFocused: Bool

        /// Creates the view for the password of the signed-in user.
        ///
        /// - Parameters:
        ///   - client: The client of the user's session.
        ///   - onSave: Called when the password was changed.
        public init(client: PreludeSessionClient, onSave: @escaping @MainActor () -> Void = {}) {
            _model = StateObject(wrappedValue: NewPasswordModel(client: client, onSave: onSave))
            self.client = client
        }

        /// The view.
        public var body: some View {
            VStack(alignment: .leading, spacing: 16) {
                field
                    .focused($isFocused)
                    .onSubmit { Task { await model.save() } }
                    .disabled(!model.isEditable)
                    .accessibilityLabel(locale.text(.newPassword))
                Toggle(isOn: $isShown) { locale.text(.showPassword) }
                if !model.rules.isEmpty { rules }
                MessageView(text: model.message, isProblem: model.isProblem)
                ActionView(
                    key: .savePassword, prominence: .primary, isRunning: model.phase == .saving,
                    perform: { Task { await model.save() } }
                )
                .disabled(!model.canSave)
            }
            .task { await model.loadRules() }
            .task(id: isShown) { takeFocus() }
            .stepUpSheet(
                isPresented: $model.isSteppingUp,
                client: client, scope: NewPasswordModel.scope
            ) { Task { await model.save() } }
        }

        /// The field has the focus at first. Another field replaces it when the password is shown. Apple TV would open a
        /// keyboard.
        private func takeFocus() {
            #if !os(tvOS)
                isFocused = true
            #endif
        }

        @ViewBuilder private var field: some View {
            let title = SessionUIText(.newPassword).string(locale: locale)
            if isShown {
                TextField(title, text: $model.password)
                    .autocorrectionDisabled()
                    .newPassword()
            } else {
                SecureField(title, text: $model.password).newPassword()
            }
        }

        private var rules: some View {
            VStack(alignment: .leading, spacing: 6) {
                ForEach(model.rules, id: \.id) { rule in
                    style.rule(SessionUIPasswordRuleConfiguration(text: locale.text(rule.text), isMet: rule.isMet))
                        .accessibilityElement(children: .combine)
                        .accessibilityValue(locale.text(rule.isMet ? .met : .notMet))
                }
            }
        }
    }
#endif
