import SessionDomain

/// The time of the tests: 2026-11-22 10:00:00 UTC.
let now = Timestamp(seconds: 1_795_341_600)

func appID(_ text: String = "testapp") throws -> AppID {
    guard let id = AppID(text) else { throw TestFailure() }
    return id
}

struct TestFailure: Error {}

/// A message with a code.
func message(
    _ channel: OTPLoginConfig.Channel = .email, to: String? = nil, code: String? = "482913",
    subject: String? = "Your code",
    text: String = "482913 is your code.", html: String? = nil, locale: String = "en", senderID: String? = nil,
    templateID: String? = nil, expiresAt: Timestamp = now + 600, isRepeated: Bool = false
) throws -> OutboundMessage {
    OutboundMessage(
        id: "msg_01ABC", appID: try appID(), appName: "Shop", channel: channel, purpose: .signIn,
        to: to ?? (channel == .email ? "alice@example.com" : "+14155550123"), locale: locale, code: code,
        subject: channel == .email ? subject : nil, text: text, html: html, senderID: senderID, templateID: templateID,
        expiresAt: expiresAt, isRepeated: isRepeated)
}
