import HTTPTypes
import SessionHTTP
import Testing

@testable import SessionDomain

@Suite("Mailbox")
struct MailboxTests {
    private static let now = Timestamp(seconds: 1_750_000_000)

    private func message(to: String, code: String? = "123456", text: String = "Your code") throws -> OutboundMessage {
        OutboundMessage(
            id: "msg_1", appID: try TestApp.id(), appName: "Test", channel: .email,
            purpose: code == nil ? .notice : .signIn, to: to, locale: "en", code: code, subject: "Code", text: text,
            html: nil, expiresAt: Self.now + 600)
    }

    @Test("The mailbox keeps the newest 100 messages, newest first")
    func capacity() throws {
        let mailbox = Mailbox { Self.now }
        for number in 0...100 { mailbox.keep(try message(to: "\(number)")) }
        #expect(mailbox.messages.map(\.to) == (1...100).reversed().map { "\($0)" })
    }

    @Test(
        "The mailbox is available under loopback names and configured hosts only, against DNS rebinding",
        arguments: [
            ("localhost:8080", 200), ("127.0.0.1:8080", 200), ("[::1]:8080", 200), ("testapp.session.test", 200),
            ("login.customer.example", 200), ("attacker.example", 403), ("testapp.attacker.example", 403),
            ("localhost.attacker.example", 403), ("203.0.113.7", 403),
        ])
    func hosts(host: String, status: Int) async throws {
        let world = try await EdgeWorld.shared.value
        for path in ["/dev", "/dev/mailbox"] {
            #expect(try await world.call(.get, path, host: host).status == status)
        }
    }

    @Test("The page escapes what is in a message, and forbids scripts")
    func page() async throws {
        let world = try await EdgeWorld()
        world.mailbox.keep(try message(to: #"<script>"&"@example.com"#))
        world.mailbox.keep(try message(to: "ada@example.com", code: nil, text: "<b>A new device</b>"))
        let response = try await world.call(.get, "/dev")
        #expect(response.text.contains("&lt;script&gt;&quot;&amp;&quot;@example.com"))
        #expect(!response.text.contains("<script>"))
        #expect(response.text.contains("&lt;b&gt;A new device"))
        #expect(response.header("content-security-policy")?.hasPrefix("default-src 'none'") == true)
        #expect(response.header("content-type") == "text/html; charset=utf-8")
    }
}
