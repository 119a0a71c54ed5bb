#if canImport(SwiftUI)
    public import PreludeSession
    public import SwiftUI

    /// Lets a user enter the code of a login, and signs the user in after the last digit.
    ///
    /// The system offers the code from a message (iOS, iPadOS, macOS, tvOS, visionOS). Show the view after
    /// `startOTPLogin(_:)`.
    public struct CodeEntryView: View {
        @StateObject private var model: CodeEntryModel
        private let recipient: String?
        private let onRestart: (@MainActor () -> Void)?

        /// Creates the view of a login that this client has started.
        ///
        /// - Parameters:
        ///   - client: The client of the login.
        ///   - recipient: Where the code was sent, to show it; `nil` to not show it.
        ///   - length: The number of digits that the app is configured with.
        ///   - onSignIn: Called with the signed-in user.
        ///   - onRestart: Called when the login has expired and the user starts again. Without it, there is no button.
        public init(
            client: PreludeSessionClient, sentTo recipient: String? = nil, length: Int = 6,
            onSignIn: @escaping @MainActor (PreludeUser) -> Void = { _ in }, onRestart: (@MainActor () -> Void)? = nil
        ) {
            self.init(
                model: CodeEntryModel(client: client, length: length, onSignIn: onSignIn), sentTo: recipient,
                onRestart: onRestart)
        }

        /// Creates the view of a model.
        ///
        /// - Parameters:
        ///   - model: The model. It is created once, and kept while the view exists.
        ///   - recipient: Where the code was sent, to show it; `nil` to not show it.
        ///   - onRestart: Called when the user starts again. Without it, there is no button.
        public init(
            model: @autoclosure @escaping () -> CodeEntryModel, sentTo recipient: String? = nil,
            onRestart: (@MainActor () -> Void)? = nil
        ) {
            _model = StateObject(wrappedValue: model())
            self.recipient = recipient
            self.onRestart = onRestart
        }

        /// The view.
        public var body: some View {
            CodeEntryForm(
                model: model, hint: recipient.map { SessionUIText(.codeSentTo, .text($0)) }, onRestart: onRestart)
        }
    }

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

    /// A box for each digit, below a text field without visible text. One text field keeps autofill, pasting and
    /// VoiceOver.
    struct DefaultCodeField: View {
        let field: SessionUICodeFieldConfiguration

        @Environment(\.dynamicTypeSize) private var size
        @ScaledMetric(relativeTo: .title2) private var height: CGFloat = 52

        var body: some View {
            #if os(tvOS) || os(watchOS)
                // These systems enter text on a screen of their own.
                field.field
            #else
                // Boxes with such large digits are wider than a phone.
                if size.isAccessibilitySize { plain } else { boxes }
            #endif
        }

        #if !os(tvOS) && !os(watchOS)
            private var plain: some View {
                field.field
                    .textFieldStyle(.plain)
                    .font(.title2.monospacedDigit())
                    .padding(12)
                    .overlay { border(isMarked: field.isFocused) }
            }

            private var boxes: some View {
                HStack(spacing: 8) {
                    ForEach(0..<field.length, id: \.self) { index in box(index) }
                }
                .accessibilityHidden(true)
                .contentShape(Rectangle())
                .onTapGesture(perform: field.focus)
                .overlay {
                    field.field
                        .textFieldStyle(.plain)
                        .foregroundStyle(Color.clear)
                        .tint(.clear)
                        .frame(maxWidth: .infinity, maxHeight: .infinity)
                }
                // Digits are written from left to right, also in Arabic and Hebrew.
                .environment(\.layoutDirection, .leftToRight)
                .frame(maxWidth: CGFloat(field.length) * 60)
                .opacity(field.isEditable ? 1 : 0.5)
            }

            private func box(_ index: Int) -> some View {
                let digits = Array(field.code)
                return Text(verbatim: index < digits.count ? String(digits[index]) : " ")
                    .font(.title2.monospacedDigit())
                    .frame(maxWidth: .infinity, minHeight: height)
                    .overlay { border(isMarked: field.isFocused && index == min(digits.count, field.length - 1)) }
            }

            private func border(isMarked: Bool) -> some View {
                let color: Color = field.isProblem ? .red : isMarked ? .accentColor : .secondary.opacity(0.5)
                return RoundedRectangle(cornerRadius: 10, style: .continuous)
                    .strokeBorder(color, lineWidth: isMarked || field.isProblem ? 2 : 1)
            }
        #endif
    }
#endif
