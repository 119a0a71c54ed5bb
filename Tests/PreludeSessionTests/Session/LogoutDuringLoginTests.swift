import Foundation
import Testing

@testable import PreludeSession

@Suite("A login that ends while somebody signs out", .timeLimit(.minutes(1)))
struct LogoutDuringLoginTests {
    private static let password = LoginWithPasswordOptions(emailAddress: "ada@example.com", password: "secret words")

    /// A client that is signed in, and whose login as `ses_2` goes through when the gate is opened.
    private func stage() async throws -> (Stage, PreludeSessionClient, Gate) {
        let stage = try await Stage()
        let client = try stage.client()
        _ = await client.profile
        let gate = Gate()
        await stage.transport.answer(
            "/login/email/password", .held(gate, Stage.next(TestToken.challenge("t0", step: "completed"))))
        await stage.transport.answer("/login/finalize", stage.refreshed(1, session: "ses_2"))
        await stage.transport.answer("/revoke", .success(), .success(), .success())
        return (stage, client, gate)
    }

    private func revoked(_ stage: Stage) async -> Set<String?> {
        Set(await stage.transport.requests("/revoke").map { $0.headers["x-refresh-token"] })
    }

    @Test(
        "signs nobody in, and the server is told to end it, wherever the logout is",
        arguments: [(StubbornStore.Use.read, ".session"), (.write, ".revocations")])
    func duringLogout(use: StubbornStore.Use, record: String) async throws {
        let (stage, client, gate) = try await stage()
        async let login = failure { _ = try await client.loginWithPassword(Self.password) }
        await stage.transport.arrival(of: "/login/email/password")
        let hold = await stage.store.hold(use, record)
        async let logout: Void = client.logout()
        await hold.arrived.wait()
        await gate.open()
        if use == .read {
            #expect(try await login == "unauthorized")
            await hold.released.open()
        } else {
            // Its own note waits for that of the logout.
            await stage.transport.arrival(of: "/login/finalize")
            for _ in 0..<200 { await Task.yield() }
            await hold.released.open()
            #expect(try await login == "unauthorized")
        }
        try await logout
        #expect(try await stage.stored() == nil)
        #expect(await client.profile == nil)
        await stage.transport.arrival(of: "/revoke", count: 2)
        #expect(await revoked(stage) == ["refresh-0", "refresh-1"])
    }

    @Test("signs nobody in when the logout came while its credentials were written")
    func duringWrite() async throws {
        let (stage, client, gate) = try await stage()
        async let login = failure { _ = try await client.loginWithPassword(Self.password) }
        await stage.transport.arrival(of: "/login/email/password")
        let hold = await stage.store.hold(.write, ".session")
        await gate.open()
        await hold.arrived.wait()
        async let logout: Void = client.logout()
        while await client.engine.machine.session != nil { await Task.yield() }
        await hold.released.open()
        #expect(try await login == "unauthorized")
        try await logout
        #expect(try await stage.stored() == nil)
        #expect(await client.profile == nil)
        await stage.transport.arrival(of: "/revoke", count: 2)
        #expect(await revoked(stage) == ["refresh-0", "refresh-1"])
    }

    @Test("is ended on the server though the disk is full and nothing can be noted")
    func fullDisk() async throws {
        let (stage, client, gate) = try await stage()
        async let login = failure { _ = try await client.loginWithPassword(Self.password) }
        await stage.transport.arrival(of: "/login/email/password")
        await stage.store.refuse(.growth)
        try await client.logout()
        await gate.open()
        #expect(try await login == "unauthorized")
        #expect(await revoked(stage) == ["refresh-0", "refresh-1"])
    }

    @Test("in another process is ended there as well, when the logout wipes what it wrote")
    func otherProcess() async throws {
        let (stage, client, _) = try await stage()
        let hold = await stage.store.hold(.write, ".revocations")
        async let logout: Void = client.logout()
        await hold.arrived.wait()
        try await stage.signIn(session: "ses_2")
        await hold.released.open()
        try await logout
        #expect(try await stage.stored() == nil)
        #expect(await stage.transport.count("/revoke") == 2)
    }

    @Test("a wipe that the store refused is still finished after another logout began")
    func refusedWipe() async throws {
        let (stage, client, _) = try await stage()
        await stage.store.refuse(.writes)
        _ = try await failure { try await client.logout() }
        let hold = await stage.store.hold(.read, ".session")
        async let logout = failure { try await client.logout() }
        await hold.arrived.wait()
        await stage.store.refuse(.nothing)
        #expect(await client.profile == nil)
        #expect(try await stage.stored() == nil)
        await hold.released.open()
        _ = try await logout
    }
}
