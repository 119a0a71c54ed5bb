import HTTPTypes
import SessionHTTP
import Testing

@testable import SessionDomain

@Suite("Mailbox")
struct MailboxTests {
    private func message(to: String) throws -> CodeMessage {
        CodeMessage(
            appID: try TestApp.id(), appName: "Test", channel: .email, to: to, code: "123456", text: "Your code",
            sentAt: Timestamp(seconds: 1_750_000_000))
    }

    @Test("The mailbox keeps the newest 100 messages, newest first")
    func capacity() throws {
        let mailbox = Mailbox()
        for number in 0...100 { mailbox.enqueue(try message(to: "\(number)")) }
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
        world.mailbox.enqueue(try message(to: #"<script>"&"@example.com"#))
        let response = try await world.call(.get, "/dev")
        #expect(response.text.contains("&lt;script&gt;&quot;&amp;&quot;@example.com"))
        #expect(!response.text.contains("<script>"))
        #expect(response.header("content-security-policy")?.hasPrefix("default-src 'none'") == true)
        #expect(response.header("content-type") == "text/html; charset=utf-8")
    }
}
