internal import Foundation
internal import SessionDomain
internal import Testing

enum HookKeyRules {
    static let all: [ContractRule] = [
        ContractRule("The first hook key of an app comes back as it was inserted, in its app only") {
            world async throws in
            for app in [world.app, world.otherApp] { try await world.addApp(app) }
            #expect(try await world.store.hookKeys(of: world.app) == [])
            let key = hookKey("kid-1", of: world.app, at: world.now)
            try await world.store.insertFirstHookKey(key)
            #expect(try await world.store.hookKeys(of: world.app) == [key])
            #expect(try await world.store.hookKeys(of: world.otherApp) == [])
        },
        ContractRule("A first hook key is inserted once; another app has its own") { world async throws in
            for app in [world.app, world.otherApp] { try await world.addApp(app) }
            let keys = [hookKey("a", of: world.app, at: world.now), hookKey("b", of: world.otherApp, at: world.now)]
            for key in keys { try await world.store.insertFirstHookKey(key) }
            try await world.store.insertFirstHookKey(hookKey("c", of: world.app, at: world.now + 1))
            #expect(try await world.store.hookKeys(of: world.app) == [keys[0]])
            #expect(try await world.store.hookKeys(of: world.otherApp) == [keys[1]])
        },
        ContractRule("O3: Of 32 first hook keys at once one is everybody's") { world async throws in
            try await world.addApp()
            let seen = try await concurrently(32) { index in
                try await world.store.insertFirstHookKey(hookKey("kid-\(index)", of: world.app, at: world.now))
                return try await world.store.hookKeys(of: world.app).map(\.keyID)
            }
            #expect(Set(seen).count == 1)
            #expect(seen.allSatisfy { $0.count == 1 })
        },
    ]

    private static func hookKey(_ id: String, of app: AppID, at time: Timestamp) -> StoredHookKey {
        StoredHookKey(appID: app, keyID: id, sealedPrivateKey: Data([0, 1, 255]), createdAt: time)
    }
}
