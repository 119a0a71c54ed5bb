/// A code on its way to a person.
package struct CodeMessage: Sendable, Equatable {
    package let appID: AppID
    package let appName: String
    package let channel: OTPLoginConfig.Channel
    package let to: String
    package let code: String
    package let text: String
    package let sentAt: Timestamp
}

/// Takes codes to people. Called after the commit; must return at once, so that an answer never shows by its time
/// whether anything was sent.
package protocol CodeDelivery: Sendable {
    func enqueue(_ message: CodeMessage)
}
