internal import Foundation
internal import SessionDomain
internal import SessionTokens
internal import Testing

enum AppRules {
    static let all: [ContractRule] = [
        ContractRule("An app comes back as it was created, with every setting") { world async throws in
            let app = fullyConfigured(world.app, at: world.now)
            #expect(try await world.store.perform(CreateApp(app, keys: [])))
            #expect(try await world.store.app(world.app) == app)
            #expect(try await world.store.app(world.otherApp) == nil)
        },
        ContractRule("Apps are listed oldest first") { world async throws in
            let younger = App(id: world.app, name: "younger", createdAt: world.now + 1)
            let older = App(id: world.otherApp, name: "older", createdAt: world.now)
            for app in [younger, older] { #expect(try await world.store.perform(CreateApp(app, keys: []))) }
            #expect(try await world.store.apps() == [older, younger])
        },
        ContractRule("A taken app id is rejected, and neither app nor keys change") { world async throws in
            let first = App(id: world.app, name: "first", createdAt: world.now)
            let key = signingKey("kid-1", of: world.app, at: world.now)
            #expect(try await world.store.perform(CreateApp(first, keys: [key])))
            let second = App(id: world.app, name: "second", createdAt: world.now)
            let more = signingKey("kid-2", of: world.app, at: world.now)
            #expect(try await world.store.perform(CreateApp(second, keys: [more])) == false)
            #expect(try await world.store.app(world.app) == first)
            #expect(try await world.store.signingKeys(of: world.app) == [key])
        },
        ContractRule("Of many concurrent creations of one app, one succeeds") { world async throws in
            let answers = try await concurrently(16) { index in
                try await world.store.perform(
                    CreateApp(
                        App(id: world.app, name: "app \(index)", createdAt: world.now), keys: []))
            }
            #expect(answers.filter { $0 }.count == 1)
        },
        ContractRule("Of apps that take one domain at the same moment, one gets it") { world async throws in
            let ids = try (0..<8).map { try #require(AppID("domain\($0)")) }
            for id in ids.prefix(4) {
                try #require(
                    try await world.store.perform(
                        CreateApp(App(id: id, name: "a", createdAt: world.now), keys: [])))
            }
            let taken = try await concurrently(8) { index in
                do {
                    guard index >= 4 else {
                        return try await world.store.perform(
                            UpdateApp(ids[index], takingDomains: true) { $0.domains = ["a.example.com"] }) != nil
                    }
                    var app = App(id: ids[index], name: "a", createdAt: world.now)
                    app.domains = ["a.example.com"]
                    return try await world.store.perform(CreateApp(app, keys: []))
                } catch Refusal.conflict {
                    return false
                }
            }
            #expect(taken.count { $0 } == 1)
            #expect(try await world.store.apps().filter { !$0.domains.isEmpty }.count == 1)
        },
        ContractRule("Signing keys are listed for their app, newest first, of one moment the later first") {
            world async throws in
            let keys = [
                signingKey("old", of: world.app, at: world.now),
                signingKey("new", of: world.app, at: world.now + 1),
                signingKey("newest", of: world.app, at: world.now + 1, purpose: .challenge),
            ]
            #expect(
                try await world.store.perform(
                    CreateApp(App(id: world.app, name: "a", createdAt: world.now), keys: keys)))
            #expect(try await world.store.signingKeys(of: world.app) == keys.reversed())
            #expect(try await world.store.signingKeys(of: world.otherApp).isEmpty)
        },
        ContractRule("Concurrent changes of settings are all kept") { world async throws in
            let app = App(id: world.app, name: "a", createdAt: world.now)
            #expect(try await world.store.perform(CreateApp(app, keys: [])))
            _ = try await concurrently(32) { _ in
                try await world.store.perform(UpdateApp(world.app) { $0.otpLimits.checksPerCode += 1 })
            }
            let stored = try await world.store.app(world.app)
            #expect(stored?.otpLimits.checksPerCode == app.otpLimits.checksPerCode + 32)
        },
        ContractRule("A change that throws writes nothing, and the error is thrown") { world async throws in
            let app = App(id: world.app, name: "a", createdAt: world.now)
            #expect(try await world.store.perform(CreateApp(app, keys: [])))
            await #expect(throws: Refusal.conflict("no")) {
                try await world.store.perform(
                    UpdateApp(world.app) { app in
                        app.name = "changed"
                        throw Refusal.conflict("no")
                    })
            }
            #expect(try await world.store.app(world.app) == app)
        },
        ContractRule("The master keys that have sealed signing keys or secrets of delivery are found") {
            world async throws in
            var app = App(id: world.app, name: "a", createdAt: world.now)
            let key = SigningKeyRules.key("a", of: world.app, at: world.now)
            var delivery = DeliveryConfig(at: world.now)
            delivery.email = [.init(settings: RouteSettings(kind: .smtp)), sealed(.smtp, "mailkey1")]
            delivery.sms = [sealed(.vonage, "smskey02"), sealed(.twilio, "smskey02")]
            app.delivery = delivery
            #expect(try await world.store.perform(CreateApp(app, keys: [key])))
            #expect(try await world.store.sealingKeyIDs() == ["12345678", "mailkey1", "smskey02"])
        },
        ContractRule("An unknown app is not changed") { world async throws in
            let answer = try await world.store.perform(UpdateApp(world.app) { _ in 1 })
            #expect(answer == nil)
        },
    ]

    private static func sealed(_ kind: RouteSettings.Kind, _ keyID: String) -> DeliveryConfig.Route {
        DeliveryConfig.Route(
            settings: RouteSettings(kind: kind), sealedSecret: Base64URL.encode(Data("\(keyID) sealed".utf8)))
    }

    private static func signingKey(
        _ id: String, of app: AppID, at time: Timestamp, purpose: StoredSigningKey.Purpose = .access
    ) -> StoredSigningKey {
        StoredSigningKey(
            appID: app, purpose: purpose, keyID: id, algorithm: .es256, sealedPrivateKey: Data([0, 1, 255]),
            createdAt: time)
    }

    private static func fullyConfigured(_ id: AppID, at time: Timestamp) -> App {
        var app = App(id: id, name: "Ä \"quoted\" app", createdAt: time)
        app.domains = ["login.example.com"]
        app.allowedOrigins = ["https://app.example.com"]
        app.signingAlgorithm = .es256
        app.sessions.boundGrace = 60
        app.sessions.noncePolicy = .always
        app.signUp = false
        app.passwordLogin = PasswordLoginConfig(at: time)
        app.passwordLogin?.policy.minLength = 15
        var login = OTPLoginConfig(id: "lcfg_1", channel: .sms, isDefault: true, at: time)
        login.grantedScopes = ["a:b"]
        app.otpLogins = [login]
        return app
    }
}
