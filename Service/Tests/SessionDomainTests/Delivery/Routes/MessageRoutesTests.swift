import Testing

@testable import SessionDomain

/// Development mode keeps its mailbox when real routes are configured.
@Suite("Local routes beside configured ones")
struct MessageRoutesTests {
    private struct Factory: RouteFactory {
        let route: PlayedRoute

        func route(
            _ settings: RouteSettings, secret: RouteSecret?, channel: OTPLoginConfig.Channel,
            senderDomains: Set<String>?
        ) -> (any MessageRoute)? { route }
    }

    private let mailbox = PlayedRoute("mailbox")

    private func routes(to server: PlayedRoute) -> RoutesWithCopies {
        let configured = ConfiguredRoutes([
            .email: [.init(settings: RouteSettings(kind: .smtp, host: "mail.example.com"), secret: nil)]
        ])
        return RoutesWithCopies(
            local: FixedRoutes([mailbox, PlayedRoute("mailbox", .sms)]),
            configured: DeliveryRoutes(configured: configured, factory: Factory(route: server), keys: TestApp.keys) {
                PlayedRoute($0, $1)
            })
    }

    private func send(by server: PlayedRoute) async throws -> SendingResult? {
        let app = App(id: try appID(), name: "Shop", createdAt: now)
        let found = routes(to: server).routes(for: app, channel: .email)
        #expect(found.map(\.name) == ["smtp"])
        return await found.first?.send(
            OutboundMessage(
                id: "msg_1", appID: app.id, appName: app.name, channel: .email, purpose: .signIn, to: "ada@example.com",
                locale: "en", code: "123456", subject: "s", text: "123456", html: nil, expiresAt: now + 600))
    }

    @Test("The mailbox has a copy of what a server gets, and only the server's result counts")
    func copies() async throws {
        let server = PlayedRoute("smtp")
        #expect(try await send(by: server) == .accepted(reference: "ref"))
        #expect(mailbox.sent.all == server.sent.all && mailbox.sent.all.map(\.code) == ["123456"])
        let failure = SendingFailure(.connection, "refused")
        #expect(try await send(by: PlayedRoute("smtp") { _, _ in .failed(failure) }) == .failed(failure))
        #expect(mailbox.sent.all.count == 2)
    }

    @Test("A channel without a server uses the mailbox")
    func alone() throws {
        let app = App(id: try appID(), name: "Shop", createdAt: now)
        #expect(routes(to: PlayedRoute("smtp")).routes(for: app, channel: .sms).map(\.name) == ["mailbox"])
    }
}
