import SessionDomain

/// A message of the mailbox in JSON.
struct MailboxMessageBody: Encodable {
    let channel: String
    let to: String
    let code: String
    let text: String
    let sentAt: String

    private enum CodingKeys: String, CodingKey {
        case channel, to, code, text
        case sentAt = "sent_at"
    }

    init(_ message: CodeMessage) {
        channel = message.channel.rawValue
        to = message.to
        code = message.code
        text = message.text
        sentAt = message.sentAt.rfc3339
    }
}
