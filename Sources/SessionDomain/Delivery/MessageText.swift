/// Writes the messages of an app.
struct MessageText {
    private let appName: String

    init(_ app: App) { appName = app.name }

    struct Rendered: Sendable, Equatable {
        /// The language of the text, as a BCP 47 tag.
        let locale: String
        /// `nil` for an SMS.
        let subject: String?
        let text: String
        let html: String?
    }

    /// Renders a queued message.
    ///
    /// - Parameters:
    ///   - requested: Language tags in order of preference (RFC 5646).
    ///   - code: `nil` for a notice.
    ///   - lifetime: Seconds for which the code is valid.
    ///   - stored: Values of the template of a notice, by name.
    /// - Returns: `nil` if there is no text for this message.
    func render(
        _ purpose: MessagePurpose, _ channel: OTPLoginConfig.Channel, requested: [String], code: String?,
        lifetime: Int, stored: [String: String]
    ) -> Rendered? {
        guard let code, purpose != .notice else { return nil }
        return Rendered(
            locale: "en", subject: channel == .email ? "Your code for \(appName)" : nil,
            text: "\(code) is your code for \(appName). Never share it with anybody.", html: nil)
    }
}
