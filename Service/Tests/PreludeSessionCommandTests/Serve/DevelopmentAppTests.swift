import SessionDomain
import Testing

@testable import prelude_session

@Suite("The passkeys of the development app")
struct DevelopmentAppTests {
    private static let names = ["http://localhost:8080", "http://127.0.0.1:8080", "http://[::1]:8080"]

    private static func passkeys(publicURL: String) throws -> PasskeyConfig? {
        let app = App(id: try #require(DevelopmentApp.id), name: "Development", createdAt: Timestamp(seconds: 0))
        let origins = try PublicOrigins(publicURL: publicURL, aliases: names)
        return DevelopmentApp.passkeys(of: app, at: origins, now: Timestamp(seconds: 1))
    }

    @Test("A service of this machine has passkeys for localhost", arguments: names)
    func onLoopback(url: String) throws {
        let config = try #require(try Self.passkeys(publicURL: url))
        #expect(config.relyingPartyID == "localhost")
        #expect(config.allowedOrigins == ["http://localhost:8080"])
        #expect(config.createdAt == Timestamp(seconds: 1))
    }

    @Test("Another port of localhost is a second origin")
    func otherPort() throws {
        let config = try Self.passkeys(publicURL: "http://localhost:9090")
        #expect(config?.allowedOrigins == ["http://localhost:8080", "http://localhost:9090"])
    }

    @Test("A service at another host has none")
    func otherHost() throws {
        #expect(try Self.passkeys(publicURL: "https://session.example.com") == nil)
    }
}
