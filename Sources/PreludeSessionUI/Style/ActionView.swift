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
#endif
