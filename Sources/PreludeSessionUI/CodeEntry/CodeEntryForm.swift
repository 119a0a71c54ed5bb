#if canImport(SwiftUI)
    internal import SwiftUI

    /// The field for a code, its message and its buttons, in this order also for VoiceOver.
    struct CodeEntryForm: View {
        @ObservedObject var model: CodeEntryModel
        /// Says where the code was sent.
        let hint: SessionUIText?
        let onRestart: (@MainActor () -> Void)?

        @Environment(\.locale) private var locale
        @Environment(\.sessionUIStyle) private var style
        @FocusState private var isFocused: Bool

        var body: some View {
            VStack(alignment: .leading, spacing: 16) {
                if let hint { locale.text(hint).fixedSize(horizontal: false, vertical: true) }
                codeField
                MessageView(text: model.message, isProblem: model.isProblem)
                if model.phase == .ended {
                    if let onRestart {
                        ActionView(key: .startAgain, prominence: .primary, perform: onRestart)
                    }
                } else {
                    ActionView(
                        key: .continue, prominence: model.needsNewCode ? .secondary : .primary,
                        isRunning: model.phase == .checking,
                        perform: { Task { await model.submit() } }
                    )
                    .disabled(!model.canSubmit)
                    resend
                }
            }
            .task(id: model.message) { takeFocus() }
        }

        private var codeField: some View {
            style.codeField(
                SessionUICodeFieldConfiguration(
                    field: AnyView(textField), code: model.code, length: model.length, isFocused: isFocused,
                    isEditable: model.isEditable, isProblem: model.isProblem, focus: { isFocused = true }))
        }

        /// It stays enabled while the code is checked, so that the keyboard stays. The model then takes no digits.
        private var textField: some View {
            TextField(SessionUIText(.code).string(locale: locale), text: $model.text)
                .oneTimeCode()
                .focused($isFocused)
                .onSubmit { Task { await model.submit() } }
                .disabled(model.phase == .ended || model.needsNewCode)
                .accessibilityLabel(locale.text(.enterCode))
                .privacySensitive()
        }

        private var resend: some View {
            TimelineView(.periodic(from: model.createdAt, by: 1)) { _ in
                let seconds = model.secondsUntilResend
                if seconds > 0 {
                    locale.text(SessionUIText(.newCodeIn, .count(seconds)))
                        .font(.footnote.monospacedDigit())
                        .foregroundStyle(.secondary)
                        .fixedSize(horizontal: false, vertical: true)
                } else {
                    ActionView(
                        key: .sendNewCode, prominence: model.needsNewCode ? .primary : .secondary,
                        isRunning: model.isResending
                    ) { Task { await model.resend() } }
                    .disabled(!model.canResend)
                }
            }
        }

        /// The field has the focus at first, and again after an error. Apple TV and Apple Watch would open a keyboard.
        private func takeFocus() {
            #if !os(tvOS) && !os(watchOS)
                if model.isEditable { isFocused = true }
            #endif
        }
    }
#endif
