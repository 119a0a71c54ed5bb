import PreludeSession
import PreludeSessionTesting
import PreludeSessionUI
import Testing

@MainActor @Suite("The session model for systems without Observation", .timeLimit(.minutes(5)))
struct ObservableSessionModelTests {
    @Test("It follows the session from launch to sign-out, and shows a locked device")
    func follows() async throws {
        let service = try await TestService()
        let store = FaultyCredentialStore()
        let client = try service.client(store: store)
        store.lock()
        let model = ObservableSessionModel(client: client)
        while model.state != .locked { await Task.yield() }
        store.unlock()
        await model.reload()
        while model.state != .signedOut(nil) { await Task.yield() }
        // As another process of the app does.
        _ = try await service.signedIn(store: store)
        await model.reload()
        while model.state == .signedOut(nil) { await Task.yield() }
        guard case .signedIn = model.state else { return #expect(Bool(false), "\(model.state)") }
        try await client.logout()
        while model.state != .signedOut(.logout) { await Task.yield() }
    }
}
