/// Writes messages.
enum MessageText {
    /// What a message is about.
    struct Values: Sendable {
        let purpose: MessagePurpose
        let channel: OTPLoginConfig.Channel
        /// Language tags in order of preference (RFC 5646).
        let locales: [String]
        let appName: String
        /// `nil` for a notice.
        let code: String?
        /// How long the code is valid.
        let minutes: Int
        /// Further values of the template, by name.
        let values: [String: String]
    }

    struct Rendered: Sendable, Equatable {
        let locale: String
        /// `nil` for an SMS.
        let subject: String?
        let text: String
        let html: String?
    }

    /// - Returns: `nil` if there is no text for this purpose.
    static func render(_ values: Values) -> Rendered? {
        guard let code = values.code else { return nil }
        return Rendered(
            locale: "en", subject: values.channel == .email ? "Your code for \(values.appName)" : nil,
            text: "\(code) is your code for \(values.appName). Never share it with anybody.", html: nil)
    }
}
