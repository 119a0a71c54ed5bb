import Foundation
import SessionTokens
import Testing

@testable import SessionDomain

@Suite("Routes of apps")
struct DeliveryRoutesTests {
    /// A route that keeps what it was made of.
    private struct FakeRoute: MessageRoute {
        let settings: RouteSettings
        let secret: RouteSecret?
        let channel: OTPLoginConfig.Channel
        var senderDomains: Set<String>?

        var name: String { settings.host ?? settings.url ?? settings.kind.rawValue }

        func send(_ message: OutboundMessage) async -> SendingResult { .accepted(reference: nil) }
    }

    private struct FakeFactory: RouteFactory {
        func route(
            _ settings: RouteSettings, secret: RouteSecret?, channel: OTPLoginConfig.Channel,
            senderDomains: Set<String>?
        ) -> (any MessageRoute)? {
            FakeRoute(settings: settings, secret: secret, channel: channel, senderDomains: senderDomains)
        }
    }

    private let keys = KeyRing(current: MasterKey(secret: Data(repeating: 1, count: 32)))

    private func routes(keys: KeyRing? = nil) -> DeliveryRoutes {
        let mail = [RouteSettings(kind: .smtp, host: "first"), RouteSettings(kind: .smtp, host: "second")]
        return DeliveryRoutes(
            configured: ConfiguredRoutes([.email: mail.map { .init(settings: $0, secret: .value("configured")) }]),
            factory: FakeFactory(), keys: keys ?? self.keys
        ) { url, channel in
            FakeRoute(settings: RouteSettings(kind: .webhook, url: url), secret: nil, channel: channel)
        }
    }

    private func app(_ configure: (inout DeliveryConfig) throws -> Void = { _ in }) throws -> App {
        var app = App(id: try appID(), name: "Shop", createdAt: now)
        var config = DeliveryConfig(at: now)
        try configure(&config)
        app.delivery = config
        return app
    }

    private func sealed(_ kind: RouteSettings.Kind = .smtp, host: String = "own") throws -> DeliveryConfig.Route {
        DeliveryConfig.Route(
            settings: RouteSettings(kind: kind, host: host),
            sealedSecret: try keys.seal("s3cr3t", of: kind, channel: .email, app: appID()))
    }

    @Test("An app without own routes uses those of the service, the first one first")
    func configured() throws {
        let plain = App(id: try appID(), name: "Shop", createdAt: now)
        #expect(routes().routes(for: plain, channel: .email).map(\.name) == ["first", "second"])
        #expect(routes().routes(for: plain, channel: .email).allSatisfy { ($0 as? FakeRoute)?.senderDomains == [] })
        #expect(routes().routes(for: plain, channel: .sms).isEmpty)
    }

    @Test("Own routes replace those of the service for their channel only")
    func own() throws {
        let app = try app { $0.sms = [.init(settings: RouteSettings(kind: .webhook, url: "https://b.example/"))] }
        #expect(routes().routes(for: app, channel: .sms).map(\.name) == ["https://b.example/"])
        #expect(routes().routes(for: app, channel: .email).map(\.name) == ["first", "second"])
    }

    // Proves: M10
    @Test("A secret opens for its own app, channel and type only")
    func secrets() throws {
        let app = try app { $0.email = [try sealed()] }
        let route = try #require(routes().routes(for: app, channel: .email).first as? FakeRoute)
        #expect(route.secret == .value("s3cr3t") && route.senderDomains == nil)
        let stored = try sealed()
        #expect(throws: KeyRingError.self) { try keys.openSecret(of: stored, channel: .sms, app: appID()) }
        #expect(throws: KeyRingError.self) { try keys.openSecret(of: stored, channel: .email, app: appID("domain2")) }
        var other = stored
        other.settings.kind = .prelude
        #expect(throws: KeyRingError.self) { try keys.openSecret(of: other, channel: .email, app: appID()) }
    }

    @Test("A route whose secret cannot be opened fails, and the next one is there")
    func closed() async throws {
        let app = try app { config in
            config.email = [try sealed(), .init(settings: RouteSettings(kind: .webhook, url: "https://b.example/"))]
        }
        let others = KeyRing(current: MasterKey(secret: Data(repeating: 2, count: 32)))
        let routes = routes(keys: others).routes(for: app, channel: .email)
        #expect(routes.map(\.name) == ["smtp", "https://b.example/"])
        let message = OutboundMessage(
            id: "msg_1", appID: try appID(), appName: "Shop", channel: .email, purpose: .signIn, to: "a@example.com",
            locale: "en", code: "1", subject: "s", text: "1", html: nil, expiresAt: now)
        guard case .failed(let failure)? = await routes.first?.send(message) else {
            Issue.record("not failed")
            return
        }
        #expect(failure.stage == .authentication)
    }

    @Test("Secrets are sealed again with the current master key, once")
    func resealing() throws {
        let newer = KeyRing(
            current: MasterKey(secret: Data(repeating: 2, count: 32)),
            older: [MasterKey(secret: Data(repeating: 1, count: 32))])
        let config = try #require(try app { $0.email = [try sealed(), try sealed(host: "other")] }.delivery)
        #expect(config.sealingKeyIDs == [keys.currentID])
        let (resealed, count) = try newer.resealed(config, app: appID())
        #expect(count == 2)
        #expect(resealed.sealingKeyIDs == [newer.currentID])
        #expect(try newer.openSecret(of: resealed.email[0], channel: .email, app: appID()) == .value("s3cr3t"))
        #expect(try newer.resealed(resealed, app: appID()).count == 0)
    }

    @Test("Events show the routes without their secrets")
    func audited() throws {
        let app = try app { $0.email = [try sealed()] }
        let settings = AuditedSettings(app)
        let values = settings.values["delivery.email"]
        #expect(values == .array([.object(["type": "smtp", "host": "own", "secret": AuditedSettings.hidden])]))
        var changed = app
        changed.delivery?.email = [try sealed()]
        // The nonce of the seal is new, so a replaced secret is a change.
        #expect(settings.changes(to: AuditedSettings(changed)).keys.sorted() == ["delivery.email"])
    }

    @Test("A stored app without routes is read, and routes are read as they were stored")
    func storage() throws {
        let app = try app { $0.email = [try sealed()] }
        let data = try JSONEncoder().encode(app)
        #expect(try JSONDecoder().decode(App.self, from: data).delivery == app.delivery)
    }
}
