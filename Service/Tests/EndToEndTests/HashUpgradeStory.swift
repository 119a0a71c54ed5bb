import PreludeSessionTesting
import SessionDomain
import Synchronization
import Testing

@Suite("The upgrade of a password hash at a login", .eachStore)
struct HashUpgradeStory {
    /// A hash is the password and the version of its cost. Without memory it still compares passwords.
    private final class Hasher: PasswordHasher, PasswordHashing {
        private struct NoMemory: Error {}

        let version = Mutex("old")
        let hasMemory = Mutex(true)
        let made = Mutex<[String]>([])

        func admit(app: AppID) throws -> HashingSlot { HashingSlot(self) }

        func hash(_ password: String) async throws -> String {
            guard hasMemory.withLock({ $0 }) else { throw NoMemory() }
            let hash = password + " " + version.withLock { $0 }
            made.withLock { $0.append(hash) }
            return hash
        }

        func verify(_ password: String, against hash: String?) async throws -> PasswordVerdict {
            guard let hash, hash.hasPrefix(password + " ") else { return .wrong }
            return .right(needsUpgrade: !hash.hasSuffix(version.withLock { $0 }))
        }
    }

    private final class Failures: ServiceObserver {
        let works = Mutex<[BackgroundWork]>([])

        func observe(_ occurrence: Occurrence) {
            if case .failed(let work, _) = occurrence { works.withLock { $0.append(work) } }
        }
    }

    @Test("Without memory for a new hash, a right password signs in, and a later login upgrades the hash")
    func noMemory() async throws {
        let (hasher, failures) = (Hasher(), Failures())
        let world = try await ServiceWorld(hasher: hasher) { _ in }.node { $0.observer = failures }
        let identifier = try CanonicalIdentifier(type: "email_address", value: "grace@example.com")
        _ = try await world.service.users.create(
            app: world.appID, identifiers: [identifier], password: "correct horse")
        hasher.version.withLock { $0 = "new" }

        hasher.hasMemory.withLock { $0 = false }
        #expect(try await login(in: world).status == 200)
        #expect(hasher.made.withLock { $0 } == ["correct horse old"])
        #expect(failures.works.withLock { $0 } == [.hashUpgrade])

        hasher.hasMemory.withLock { $0 = true }
        // The second login finds the new hash.
        for _ in 1...2 { #expect(try await login(in: world).status == 200) }
        #expect(hasher.made.withLock { $0 } == ["correct horse old", "correct horse new"])
        #expect(failures.works.withLock { $0 } == [.hashUpgrade])
    }

    private func login(in world: ServiceWorld) async throws -> ServiceAnswer {
        try await world.call(
            "/v1/session/login/email/password",
            json: #"{"identifier":"grace@example.com","password":"correct horse"}"#)
    }
}
