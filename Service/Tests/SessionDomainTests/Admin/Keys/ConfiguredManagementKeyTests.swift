import Testing

@testable import SessionDomain

@Suite("Configured management keys")
struct ConfiguredManagementKeyTests {
    /// A store without keys. It fails every write.
    private struct EmptyStore: ManagementKeyStore {
        func managementKey(hash: String) async throws -> ManagementKey? { nil }
        func managementKeys() async throws -> [ManagementKey] { [] }
        func perform<I: Intent>(_ intent: I) async throws -> I.Outcome { throw StoreError.overloaded }
    }

    private func keys(_ secrets: String...) -> ManagementKeys {
        ManagementKeys(
            store: EmptyStore(), configured: secrets.map { ConfiguredManagementKey(secret: $0, now: now) },
            sources: SourceLimiter(), environment: stillEnvironment)
    }

    /// Returns the secrets that are valid for all apps.
    private func valid(_ secrets: String..., in keys: ManagementKeys) async throws -> [String] {
        var valid: [String] = []
        for secret in secrets {
            do {
                let key = try await keys.authenticate(secret, app: nil, source: SourceAddress(ip: "192.0.2.1"))
                if key.appID == nil { valid.append(secret) }
            } catch Refusal.unauthorized {}
        }
        return valid
    }

    // Proves: X13
    @Test("Each configured key is valid for all apps without a row, and a key that is not configured is invalid")
    func configured() async throws {
        #expect(try await valid("old", "new", "other", "", in: keys("old", "new")) == ["old", "new"])
        #expect(try await valid("old", "new", in: keys("new")) == ["new"])
        #expect(try await valid("old", "new", "", in: keys()) == [])
    }

    @Test("The use of a configured key is not stored")
    func use() async throws {
        let keys = keys("secret")
        #expect(try await valid("secret", in: keys) == ["secret"])
        try await keys.recordUses()
    }

    @Test("The id of a configured key depends on its secret only, and its full hash is in no name")
    func names() throws {
        let key = ConfiguredManagementKey(secret: "secret", now: now).key
        #expect(key.id == ConfiguredManagementKey(secret: "secret", now: now + 1).key.id)
        #expect(key.id != ConfiguredManagementKey(secret: "other", now: now).key.id)
        #expect(key.id.hasPrefix("mk_configured_") && key.id.count == 22)
        #expect(ManagementKey.Creator.key(key.id).publicName == "configuration")
        #expect(ManagementKey.Creator.key("mk_1").publicName == "mk_1")
    }
}
