import HTTPTypes
import PreludeSessionTesting
import SessionDomain
import Synchronization
import Testing

@Suite("A busy password hasher", .eachStore)
struct BusyHasherStory {
    /// Has no free slot while it is busy. The password is the hash.
    private final class Hasher: PasswordHasher, PasswordHashing {
        let isBusy = Mutex(false)

        func admit(app: AppID) throws -> HashingSlot {
            guard !isBusy.withLock({ $0 }) else { throw Refusal.overloaded(retryAfter: 2) }
            return HashingSlot(self)
        }

        func hash(_ password: String) async throws -> String { password }

        func verify(_ password: String, against hash: String?) async throws -> PasswordVerdict {
            password == hash ? .right(needsUpgrade: false) : .wrong
        }
    }

    @Test("Busy answers use up no attempt of the user, and the answer does not depend on the user (X6)")
    func busy() async throws {
        let hasher = Hasher()
        let world = try await ServiceWorld(hasher: hasher) { app in
            app.otpLimits.failedChecks = RateLimit(limit: 3, window: 900)
        }
        let identifier = try CanonicalIdentifier(type: "email_address", value: "grace@example.com")
        let user = try await world.service.users.create(
            app: world.appID, identifiers: [identifier], password: "correct horse")

        hasher.isBusy.withLock { $0 = true }
        for address in ["grace@example.com", "unknown@example.com"] {
            for _ in 1...10 {
                let answer = try await login(address, in: world)
                #expect(answer.status == 429 && answer.head.headerFields[.retryAfter] == "2")
            }
        }
        await #expect(throws: Refusal.overloaded(retryAfter: 2)) {
            try await world.service.users.setPassword(
                "battery staple", user: user.id, app: world.appID, ending: nil)
        }

        hasher.isBusy.withLock { $0 = false }
        #expect(try await login("grace@example.com", in: world).status == 200)
    }

    private func login(_ address: String, in world: ServiceWorld) async throws -> ServiceAnswer {
        try await world.call(
            "/v1/session/login/email/password", json: #"{"identifier":"\#(address)","password":"correct horse"}"#)
    }
}
