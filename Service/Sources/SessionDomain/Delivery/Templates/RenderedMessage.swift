/// What a template and its values result in.
package struct RenderedMessage: Sendable, Equatable {
    /// The language of the text.
    package let locale: MessageLocale
    /// One line. `nil` for an SMS.
    package let subject: String?
    package let text: String
    /// The same text as HTML. `nil` for an SMS.
    package let html: String?

    package init(locale: MessageLocale, subject: String?, text: String, html: String?) {
        self.locale = locale
        self.subject = subject
        self.text = text
        self.html = html
    }
}
