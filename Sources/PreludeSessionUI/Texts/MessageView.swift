#if canImport(SwiftUI)
    internal import SwiftUI

    #if os(macOS)
        internal import AppKit
    #elseif !os(watchOS)
        internal import UIKit
    #endif

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

    /// A text beside a symbol. The text has the color of all text, because red text has too little contrast.
    struct DefaultMessage: View {
        let message: SessionUIMessageConfiguration

        var body: some View {
            HStack(alignment: .firstTextBaseline, spacing: 8) {
                Image(systemName: message.isProblem ? "exclamationmark.circle.fill" : "checkmark.circle.fill")
                    .foregroundStyle(message.isProblem ? Color.red : Color.green)
                    .accessibilityHidden(true)
                message.text
                    .font(.callout)
                    .fixedSize(horizontal: false, vertical: true)
            }
        }
    }

    /// What VoiceOver says without a change of the focus.
    @MainActor
    private enum Announcement {
        /// Whether the system can announce texts. On Apple Watch the message gets the focus of VoiceOver instead.
        static var isPossible: Bool {
            #if os(watchOS)
                false
            #else
                true
            #endif
        }

        static func post(_ text: String) {
            #if os(macOS)
                guard let window = NSApplication.shared.mainWindow else { return }
                NSAccessibility.post(
                    element: window, notification: .announcementRequested,
                    userInfo: [.announcement: text, .priority: NSAccessibilityPriorityLevel.high.rawValue])
            #elseif !os(watchOS)
                UIAccessibility.post(notification: .announcement, argument: text)
            #endif
        }
    }
#endif
