import Foundation
import PreludeSession
import Testing

@Suite("The host override")
struct HostOverrideTests {
    private func client(_ host: String?, _ transport: ScriptedTransport = ScriptedTransport()) throws
        -> PreludeSessionClient
    {
        var configuration = PreludeSessionClient.Configuration(endpoint: .custom("https://tunnel.example.com"))
        configuration.hostOverride = host
        configuration.credentialStore = PreludeInMemoryCredentialStore()
        configuration.transport = transport
        return try PreludeSessionClient(configuration: configuration)
    }

    @Test(
        "A host override is a name or an address, with or without a port",
        arguments: ["session.example.com", "localhost:8080", "127.0.0.1", "[::1]:8080", "APP1234.example.com"])
    func good(host: String) async throws {
        let transport = ScriptedTransport()
        await transport.answer("/otp", .success())
        let identifier = PreludeIdentifier(type: .emailAddress, value: "ada@example.com")
        try await client(host, transport).startOTPLogin(StartOTPLoginOptions(identifier: identifier))
        #expect(await transport.requests("/otp").first?.headers["host"] == host)
    }

    @Test(
        "An invalid host override is rejected when the client is created",
        arguments: [
            "", " ", "https://session.example.com", "session.example.com/", "session.example.com/v1", "a b",
            "a\r\nX: y",
            "user@example.com", "example.com:port", "example.com:0", "example.com:70000", "example.com?",
            "example.com#",
            ":8080", "[::1", "exämple.com", "a,b",
        ])
    func bad(host: String) async throws {
        #expect(try await failure { _ = try client(host) } == "invalidConfiguration")
    }
}
