#if canImport(SwiftUI)
    #if os(macOS)
        internal import AppKit
    #elseif !os(watchOS)
        internal import UIKit
    #endif

    /// What VoiceOver says without a change of the focus.
    @MainActor
    enum Announcement {
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
