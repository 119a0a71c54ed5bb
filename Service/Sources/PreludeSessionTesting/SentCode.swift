public import Foundation
public import PreludeSession
import SessionDomain
import SessionHTTP

extension TestService {
    /// A one-time code that the service sent.
    public struct SentCode: Sendable, Hashable {
        /// The phone number or e-mail address to which the code was sent.
        public let recipient: String
        /// Whether `recipient` is a phone number or an e-mail address.
        public let type: PreludeIdentifierType
        /// The code's digits.
        public let code: String
        /// The text of the message.
        public let text: String
        /// When the code was sent, by the service's clock.
        public let sentAt: Date

        /// `nil` for a message without a code.
        init?(_ entry: Mailbox.Entry) {
            guard let code = entry.message.code else { return nil }
            recipient = entry.message.to
            type = entry.message.channel == .sms ? .phoneNumber : .emailAddress
            self.code = code
            text = entry.message.text
            sentAt = entry.sentAt.date
        }
    }
}

extension TestService {
    /// The codes among the last hundred messages that were sent, newest first.
    public var mailbox: [SentCode] { world.mailbox.entries.compactMap(SentCode.init) }

    /// The last code that was sent to a recipient.
    ///
    /// - Parameter recipient: A phone number or an e-mail address, in any spelling.
    /// - Throws: `TestServiceError` when no code was sent to the recipient. Its text lists the recipients of codes.
    public func code(for recipient: String) throws -> String { try world.code(for: recipient) }
}

extension CanonicalIdentifier {
    /// Creates an identifier from text. Text with an `@` is an e-mail address, any other text a phone number.
    init(typed text: String) throws {
        let type: IdentifierType = text.contains("@") ? .emailAddress : .phoneNumber
        do {
            try self.init(type: type.rawValue, value: text)
        } catch {
            throw TestServiceError(
                "\(text) is neither an e-mail address nor a phone number in E.164 form, such as +14155551234")
        }
    }
}
