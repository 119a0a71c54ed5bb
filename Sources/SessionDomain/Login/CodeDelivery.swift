/// A code that is to be sent.
package struct CodeMessage: Sendable, Equatable {
    package let appID: AppID
    package let appName: String
    package let channel: OTPLoginConfig.Channel
    package let to: String
    package let code: String
    package let text: String
    package let sentAt: Timestamp
}

/// Sends codes. It is called after the commit and must return at once, so that the time of an answer does not show
/// whether a code was sent.
package protocol CodeDelivery: Sendable {
    func enqueue(_ message: CodeMessage)
}
