public import Foundation
public import PreludeSession
import SessionDomain
import SessionHTTP

/// A one-time code that the service sent.
public struct SentCode: Sendable, Hashable {
    /// The phone number or e-mail address, as it was typed.
    public let recipient: String
    /// Whether `recipient` is a phone number or an e-mail address.
    public let type: PreludeIdentifierType
    /// The digits.
    public let code: String
    /// The whole message.
    public let text: String
    /// When it was sent, by the service's clock.
    public let sentAt: Date

    init(_ message: CodeMessage) {
        recipient = message.to
        type = message.channel == .sms ? .phoneNumber : .emailAddress
        code = message.code
        text = message.text
        sentAt = message.sentAt.date
    }
}

extension TestService {
    /// The codes that were sent, newest first; the last hundred.
    public var mailbox: [SentCode] { world.mailbox.messages.map(SentCode.init) }

    /// The last code that was sent to somebody.
    ///
    /// - Parameter recipient: A phone number or an e-mail address, however it is spelled.
    /// - Throws: `TestServiceError` when no code was sent to it; its text says to whom there was one.
    public func code(for recipient: String) throws -> String {
        let wanted = try CanonicalIdentifier(typed: recipient)
        let sent = mailbox
        guard let match = sent.first(where: { (try? CanonicalIdentifier(typed: $0.recipient)) == wanted }) else {
            let others = Set(sent.map(\.recipient)).sorted().joined(separator: ", ")
            throw TestServiceError(
                """
                no code was sent to \(recipient), but to: \(others.isEmpty ? "nobody" : others). \
                Call startOTPLogin(_:) or sendStepUpOTP(_:) first; without sign-up, only users get codes.
                """)
        }
        return match.code
    }
}

extension CanonicalIdentifier {
    /// An identifier whose kind shows: an e-mail address has an `@`.
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
