import SessionDomain

/// A message of the mailbox in JSON.
struct MailboxMessageBody: Encodable {
    let channel: String
    let purpose: String
    let to: String
    let locale: String
    /// Missing in a notice.
    let code: String?
    /// Missing in an SMS.
    let subject: String?
    let text: String
    let sentAt: String

    private enum CodingKeys: String, CodingKey {
        case channel, purpose, to, locale, code, subject, text
        case sentAt = "sent_at"
    }

    init(_ entry: Mailbox.Entry) {
        let message = entry.message
        channel = message.channel.rawValue
        purpose = message.purpose.rawValue
        to = message.to
        locale = message.locale
        code = message.code
        subject = message.subject
        text = message.text
        sentAt = entry.sentAt.rfc3339
    }
}
