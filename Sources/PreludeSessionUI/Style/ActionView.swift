#if canImport(SwiftUI)
    internal import SwiftUI

    /// Shows a button in the style.
    struct ActionView: View {
        let key: SessionUIText.Key
        var prominence = SessionUIActionConfiguration.Prominence.secondary
        var role: ButtonRole?
        var isRunning = false
        /// What VoiceOver says besides the text, for buttons that occur more than once.
        var subject: Text?
        let perform: @MainActor () -> Void

        @Environment(\.locale) private var locale
        @Environment(\.sessionUIStyle) private var style

        var body: some View {
            style.action(
                SessionUIActionConfiguration(
                    label: locale.text(key), prominence: prominence, role: role, isRunning: isRunning, perform: perform)
            )
            .accessibilityLabel(subject.map { locale.text(key) + Text(verbatim: ", ") + $0 } ?? locale.text(key))
            .accessibilityValue(isRunning ? locale.text(.pleaseWait) : Text(verbatim: ""))
        }
    }

    /// A button that keeps its size while its action runs.
    struct DefaultAction: View {
        let action: SessionUIActionConfiguration

        @ViewBuilder var body: some View {
            switch action.prominence {
            case .primary: button.buttonStyle(.borderedProminent)
            case .secondary: button.buttonStyle(.bordered)
            }
        }

        private var button: some View {
            Button(role: action.role, action: action.perform) {
                action.label
                    .multilineTextAlignment(.center)
                    // Long words wrap instead of being cut.
                    .fixedSize(horizontal: false, vertical: true)
                    .frame(maxWidth: action.prominence == .primary ? .infinity : nil, minHeight: 30)
                    .opacity(action.isRunning ? 0 : 1)
                    .overlay { if action.isRunning { ProgressView() } }
            }
            .disabled(action.isRunning)
        }
    }
#endif
