#if canImport(SwiftUI)
    internal import SwiftUI

    /// Shows a message in the style, and has VoiceOver read it.
    struct MessageView: View {
        let text: SessionUIText?
        let isProblem: Bool

        @Environment(\.locale) private var locale
        @Environment(\.sessionUIStyle) private var style
        @AccessibilityFocusState private var isRead: Bool

        var body: some View {
            Group {
                if let text {
                    style.message(SessionUIMessageConfiguration(text: locale.text(text), isProblem: isProblem))
                        .accessibilityElement(children: .combine)
                        .accessibilityFocused($isRead)
                }
            }
            .task(id: text) {
                guard let text else { return }
                if Announcement.isPossible { Announcement.post(text.string(locale: locale)) } else { isRead = true }
            }
        }
    }
#endif
