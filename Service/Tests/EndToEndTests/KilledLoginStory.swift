import Foundation
import PreludeSession
import PreludeSessionTesting
import SessionDomain
import Testing

@Suite("An app that is killed during a login", .eachStore)
struct KilledLoginStory {
    private static let mail = "ada@example.com"

    /// Where the app is killed. The next launch has the same store.
    enum Kill: CaseIterable, Sendable {
        case afterStart, afterStartWithoutRecord, checkUnanswered, finalizeUnanswered, finalizeUnansweredWithoutRecord
        case sessionNotStored

        /// Whether the record of the login could not be written at the end, so that the user needs a new code.
        var mayNeedNewCode: Bool { self == .afterStartWithoutRecord || self == .finalizeUnansweredWithoutRecord }
    }

    /// A store that refuses to write some records.
    private actor RefusingStore: PreludeCredentialStore {
        private let inner = PreludeInMemoryCredentialStore()
        private var refused: String?

        func refuse(_ suffix: String?) { refused = suffix }

        func isEmpty(_ suffix: String) async -> Bool { await inner.read("localhost:8080" + suffix) == nil }

        func read(_ name: String) async throws -> Data? { await inner.read(name) }

        func write(_ data: Data, to name: String) async throws {
            if let refused, name.hasSuffix(refused) { throw PreludeSessionError.storageUnavailable("refused") }
            await inner.write(data, to: name)
        }

        func delete(_ name: String) async throws { await inner.delete(name) }

        nonisolated func withLock<Answer: Sendable>(
            _ name: String, _ work: @Sendable () async throws -> Answer
        ) async throws -> Answer {
            try await inner.withLock(name, work)
        }
    }

    private func start(_ client: PreludeSessionClient) async throws {
        try await client.startOTPLogin(
            StartOTPLoginOptions(identifier: PreludeIdentifier(type: .emailAddress, value: Self.mail)))
    }

    // Proves: E4
    @Test(
        "A login that is killed at any point is continued by the next launch, or asks for a new code",
        arguments: Kill.allCases)
    func killed(kill: Kill) async throws {
        let world = try await ServiceWorld()
        let (store, faults) = (RefusingStore(), TestService.Faults())
        let client = try world.client(store: store, faults: faults)
        if kill == .afterStartWithoutRecord { await store.refuse(".login") }
        try await start(client)
        let code = try world.code(for: Self.mail)
        switch kill {
        case .afterStart, .afterStartWithoutRecord: break
        case .checkUnanswered: faults.inject(.dropAnswer, on: .checkOTP, times: 2)
        case .finalizeUnanswered: faults.inject(.dropAnswer, on: .finalizeLogin, times: 2)
        case .finalizeUnansweredWithoutRecord:
            await store.refuse(".login")
            faults.inject(.dropAnswer, on: .finalizeLogin, times: 2)
        case .sessionNotStored: await store.refuse(".session")
        }
        if kill != .afterStart, kill != .afterStartWithoutRecord {
            await #expect(throws: PreludeSessionError.self) { try await client.checkOTP(code) }
        }
        await store.refuse(nil)

        let relaunched = try world.client(store: store, faults: faults)
        #expect(
            (await relaunched.pendingLogin)?.identifier.value == (kill == .afterStartWithoutRecord ? nil : Self.mail))
        do {
            _ = try await relaunched.checkOTP(code)
            #expect(!kill.mayNeedNewCode)
            #expect(try await relaunched.listSessions().total == 1)
        } catch let error as PreludeSessionError {
            #expect(kill.mayNeedNewCode && error.needsNewCode, "\(kill): \(error)")
            world.clock.advance(seconds: 31)
            try await start(relaunched)
            _ = try await relaunched.checkOTP(try world.code(for: Self.mail))
        }
        #expect(await relaunched.profile != nil)
        #expect(await relaunched.pendingLogin == nil)
        #expect(await relaunched.identifiers.map(\.value) == [Self.mail])
        try await relaunched.invalidateSession()
        _ = try await relaunched.refresh()
    }

    /// Where an app is killed during a login with a password.
    enum PasswordKill: CaseIterable, Sendable {
        case loginUnanswered, finalizeUnsent, finalizeUnanswered, finalizeUnansweredWithoutRecord, sessionNotStored
    }

    // Proves: E4
    @Test(
        "A login with a password that is killed at any point leaves the user signed out, and the next one has one session",
        arguments: PasswordKill.allCases)
    func killedPassword(kill: PasswordKill) async throws {
        let world = try await ServiceWorld()
        let password = "staple crystal lantern"
        _ = try await world.service.users.create(
            app: world.appID, identifiers: [try CanonicalIdentifier(type: "email_address", value: Self.mail)],
            password: password)
        let (store, faults) = (RefusingStore(), TestService.Faults())
        let options = LoginWithPasswordOptions(emailAddress: Self.mail, password: password)
        let client = try world.client(store: store, faults: faults)
        switch kill {
        case .loginUnanswered: faults.inject(.dropAnswer, on: .loginWithPassword, times: 2)
        case .finalizeUnsent: faults.inject(.dropRequest, on: .finalizeLogin, times: 2)
        case .finalizeUnanswered: faults.inject(.dropAnswer, on: .finalizeLogin, times: 2)
        case .finalizeUnansweredWithoutRecord:
            await store.refuse(".login")
            faults.inject(.dropAnswer, on: .finalizeLogin, times: 2)
        case .sessionNotStored: await store.refuse(".session")
        }
        await #expect(throws: PreludeSessionError.self) { try await client.loginWithPassword(options) }
        await store.refuse(nil)

        let relaunched = try world.client(store: store, faults: faults)
        #expect(await relaunched.reload() == .signedOut(nil))
        #expect(await relaunched.pendingLogin == nil, "it asks for no code")
        _ = try await relaunched.loginWithPassword(options)
        // Without a record, the session whose response was lost stays until it expires.
        #expect(try await relaunched.listSessions().total == (kill == .finalizeUnansweredWithoutRecord ? 2 : 1))
        try await relaunched.invalidateSession()
        _ = try await relaunched.refresh()
        #expect(await store.isEmpty(".login"))
    }

    @Test("A login with a password that fails without a network continues when the user tries again, long after")
    func passwordAgain() async throws {
        let world = try await ServiceWorld()
        let password = "staple crystal lantern"
        _ = try await world.service.users.create(
            app: world.appID, identifiers: [try CanonicalIdentifier(type: "email_address", value: Self.mail)],
            password: password)
        let faults = TestService.Faults()
        let client = try world.client(faults: faults)
        let options = LoginWithPasswordOptions(emailAddress: Self.mail, password: password)
        faults.inject(.dropAnswer, on: .finalizeLogin, times: 2)
        await #expect(throws: PreludeSessionError.self) { try await client.loginWithPassword(options) }
        await #expect(throws: PreludeSessionError.self) {
            try await client.loginWithPassword(LoginWithPasswordOptions(emailAddress: Self.mail, password: "wrong"))
        }
        #expect(await client.profile == nil, "another password continues nothing")
        // The challenge has expired, and its session can still be had.
        world.clock.advance(seconds: 1800)
        _ = try await client.loginWithPassword(options)
        #expect(try await client.listSessions().total == 1)
    }
}
