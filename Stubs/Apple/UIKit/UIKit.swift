// A stub for the part of UIKit that the views use, with Apple's signatures and no behavior.

import Foundation

public struct UITextContentType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let oneTimeCode = UITextContentType(rawValue: "one-time-code")
    public static let newPassword = UITextContentType(rawValue: "new-password")
}

public enum UIKeyboardType: Int, Sendable { case `default`, asciiCapable, numberPad, phonePad, emailAddress }

public enum UIAccessibility {
    public struct Notification: RawRepresentable, Hashable, Sendable {
        public let rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        public static let announcement = Notification(rawValue: 1)
    }

    @MainActor public static func post(notification: Notification, argument: Any?) {}
}
