import Foundation
import PreludeSession
import PreludeSessionTesting
import Testing

@testable import PreludeSessionUI

/// A list of sessions, through the real SDK and the real service.
@MainActor @Suite("The model of a list of sessions")
struct SessionListModelTests {
    @Test("This device is first, with its time, and others follow")
    func order() async throws {
        let service = try await TestService()
        let client = try await service.signedIn()
        service.clock.advance(by: .seconds(60))
        _ = try await service.signedIn()
        let model = SessionListModel(client: client)
        #expect(model.phase == .empty && !model.hasOthers)
        await model.load()
        #expect(model.phase == .loaded && model.message == nil)
        #expect(model.items.map(\.isCurrent) == [true, false])
        #expect(model.items.first?.id == (await client.sessionID))
        #expect(model.hasOthers && !model.hasMore)
        let seen = try #require(model.items.last?.lastSeenAt)
        #expect(abs(seen.timeIntervalSince(service.clock.now)) < 2)
    }

    @Test("A revoked session leaves the list, and its client is signed out")
    func revoke() async throws {
        let service = try await TestService()
        let (client, other) = (try await service.signedIn(), try await service.signedIn())
        let model = SessionListModel(client: client)
        await model.load()
        let id = try #require(await other.sessionID)
        await model.revoke(id)
        #expect(model.items.map(\.isCurrent) == [true] && !model.hasOthers)
        try await other.invalidateSession()
        await #expect(throws: PreludeSessionError.self) { try await other.refresh() }
    }

    @Test("A session that was revoked elsewhere leaves the list without an error")
    func revokedElsewhere() async throws {
        let service = try await TestService()
        let (client, other) = (try await service.signedIn(), try await service.signedIn())
        let model = SessionListModel(client: client)
        await model.load()
        let id = try #require(await other.sessionID)
        try await other.logout()
        await other.revokeEndedSessions()
        await model.revoke(id)
        #expect(model.items.count == 1 && model.message == nil)
    }

    @Test("Revoking this device signs out, also without a connection")
    func signOut() async throws {
        let service = try await TestService()
        let client = try await service.signedIn()
        let model = SessionListModel(client: client)
        await model.load()
        service.faults.isOffline = true
        await model.revoke(try #require(model.items.first?.id))
        #expect(await client.profile == nil)
        #expect(model.items.isEmpty)
    }

    @Test("All other sessions are revoked at once")
    func others() async throws {
        let service = try await TestService()
        let client = try await service.signedIn()
        for _ in 0..<2 { _ = try await service.signedIn() }
        let model = SessionListModel(client: client)
        await model.load()
        #expect(model.items.count == 3)
        await model.revokeOthers()
        #expect(model.items.map(\.isCurrent) == [true])
    }

    @Test("Pages are loaded one after the other, each session once")
    func pages() async throws {
        let service = try await TestService()
        let client = try await service.signedIn()
        for _ in 0..<3 { _ = try await service.signedIn() }
        let model = SessionListModel(client: client, pageSize: 2)
        await model.load()
        #expect(model.items.count == 2 && model.hasMore)
        // A new session shifts the pages.
        service.clock.advance(by: .seconds(1))
        _ = try await service.signedIn()
        while model.hasMore { await model.loadMore() }
        #expect(Set(model.items.map(\.id)).count == model.items.count)
        #expect(model.items.first?.isCurrent == true)
        await model.loadMore()
        #expect(!model.hasMore)
    }

    @Test("Without a connection the shown sessions stay, with a message")
    func offline() async throws {
        let service = try await TestService()
        let model = SessionListModel(client: try await service.signedIn())
        service.faults.isOffline = true
        await model.load()
        #expect(model.phase == .failed && model.message == SessionUIText(PreludeSessionMessage(.noConnection)))
        service.faults.isOffline = false
        await model.load()
        #expect(model.phase == .loaded && model.message == nil)
        service.faults.isOffline = true
        await model.load()
        #expect(
            model.phase == .loaded && model.items.count == 1
                && model.message == SessionUIText(PreludeSessionMessage(.noConnection)))
    }

    @Test("A failed revocation keeps the session in the list")
    func failed() async throws {
        let service = try await TestService()
        let (client, other) = (try await service.signedIn(), try await service.signedIn())
        let model = SessionListModel(client: client)
        await model.load()
        service.faults.inject(.dropRequest, on: .revokeSessions)
        await model.revoke(try #require(await other.sessionID))
        #expect(model.items.count == 2 && model.items.allSatisfy { !$0.isRevoking })
        #expect(model.message == SessionUIText(PreludeSessionMessage(.noConnection)) && !model.isBusy)
    }

    @Test("While a call runs, its session is marked, and other calls are ignored")
    func busy() async throws {
        let service = try await TestService()
        let (client, other) = (try await service.signedIn(), try await service.signedIn())
        let model = SessionListModel(client: client)
        await model.load()
        let id = try #require(await other.sessionID)
        let held = service.faults.hold(.revokeSessions)
        let revocation = Task { await model.revoke(id) }
        await held.arrived()
        #expect(model.isBusy && model.items.first { $0.id == id }?.isRevoking == true)
        await model.revokeOthers()
        held.release()
        await revocation.value
        #expect(service.count(.revokeSessions) == 1 && model.items.count == 1)
    }

    @Test("A cancelled load is no failure, and a view that appears again meanwhile loads the list")
    func cancelled() async throws {
        let service = try await TestService()
        let model = SessionListModel(client: try await service.signedIn())
        service.clock.advance(by: .seconds(301))
        let held = service.faults.hold(.refresh)
        let first = await appear { await model.load() }
        await held.arrived()
        first.cancel()
        var phases: [SessionListModel.Phase] = []
        let second = await appear {
            await first.value
            phases.append(model.phase)
            await model.load()
        }
        let third = await appear { await model.load() }
        held.release()
        for task in [first, second, third] { await task.value }
        #expect(model.phase == .loaded && model.items.count == 1 && model.message == nil)
        #expect(!phases.contains(.failed))
    }

    @Test("A cancelled first load leaves the list empty without a message")
    func cancelledOnly() async throws {
        let service = try await TestService()
        let model = SessionListModel(client: try await service.signedIn())
        service.faults.interrupt(.listSessions) { throw CancellationError() }
        await model.load()
        #expect(model.phase == .empty && model.message == nil && !model.isBusy)
    }
}
