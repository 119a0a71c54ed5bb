/// A rendered message to a user, ready to be sent.
package struct OutboundMessage: Sendable, Equatable {
    /// `msg_…`. It stays the same over all attempts and routes, so a receiver recognizes repetitions.
    package let id: String
    package let appID: AppID
    package let appName: String
    package let channel: OTPLoginConfig.Channel
    package let purpose: MessagePurpose
    /// An E.164 number, or an e-mail address.
    package let to: String
    /// The language that the text is in, as a BCP 47 tag.
    package let locale: String
    /// The one-time code in the text. `nil` for a notice.
    package let code: String?
    /// The subject of a mail. `nil` for an SMS.
    package let subject: String?
    package let text: String
    /// The HTML part of a mail, beside `text`.
    package let html: String?
    /// The sender that the login configuration names: a phone number, an alphanumeric sender id, or a mail address.
    package let senderID: String?
    /// The template that the login configuration names, for gateways that have templates of their own.
    package let templateID: String?
    /// When the message becomes useless. It is never sent after this time.
    package let expiresAt: Timestamp
    /// Whether an earlier attempt ended without a result, so that a route may have the message.
    package let isRepeated: Bool

    package init(
        id: String, appID: AppID, appName: String, channel: OTPLoginConfig.Channel, purpose: MessagePurpose, to: String,
        locale: String, code: String?, subject: String?, text: String, html: String?, senderID: String? = nil,
        templateID: String? = nil, expiresAt: Timestamp, isRepeated: Bool = false
    ) {
        self.id = id
        self.appID = appID
        self.appName = appName
        self.channel = channel
        self.purpose = purpose
        self.to = to
        self.locale = locale
        self.code = code
        self.subject = subject
        self.text = text
        self.html = html
        self.senderID = senderID.map { LinkedName.removed(fromSender: $0, isMail: channel == .email) }
        self.templateID = templateID
        self.expiresAt = expiresAt
        self.isRepeated = isRepeated
    }
}
