/// The subject and text of one kind of message in one language.
///
/// Mails are sent as text and as HTML. The HTML part is made from the text, so both say the same.
package struct MessageTemplate: Sendable, Equatable, Codable {
    package let channel: OTPLoginConfig.Channel
    package let purpose: TemplatePurpose
    package let locale: MessageLocale
    /// Of a mail only.
    package let subject: String?
    /// Paragraphs are separated by empty lines.
    package let text: String

    package init(
        channel: OTPLoginConfig.Channel, purpose: TemplatePurpose, locale: MessageLocale, subject: String? = nil,
        text: String
    ) {
        self.channel = channel
        self.purpose = purpose
        self.locale = locale
        self.subject = subject
        self.text = text
    }

    /// Whether both are texts for the same messages.
    func replaces(_ other: MessageTemplate) -> Bool {
        channel == other.channel && purpose == other.purpose && locale == other.locale
    }
}
