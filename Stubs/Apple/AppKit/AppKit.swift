// A stub for the part of AppKit that the views use, with Apple's signatures and no behavior.

import Foundation

public struct NSTextContentType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let oneTimeCode = NSTextContentType(rawValue: "one-time-code")
}

@MainActor public final class NSWindow {}

@MainActor public final class NSApplication {
    public class var shared: NSApplication { NSApplication() }
    public var mainWindow: NSWindow? { nil }
}

public enum NSAccessibilityPriorityLevel: Int, Sendable {
    case low = 10
    case medium = 50
    case high = 90
}

public enum NSAccessibility {
    public struct Notification: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let announcementRequested = Notification(rawValue: "announcement")
    }

    public struct NotificationUserInfoKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let announcement = NotificationUserInfoKey(rawValue: "announcement")
        public static let priority = NotificationUserInfoKey(rawValue: "priority")
    }

    @MainActor public static func post(
        element: Any, notification: Notification, userInfo: [NotificationUserInfoKey: Any]?
    ) {}
}
