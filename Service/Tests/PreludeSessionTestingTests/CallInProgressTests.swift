import Foundation
import PreludeSession
import PreludeSessionTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Unit tests of calls in progress and of the app's own backend, as the developer of an app writes them.
@Suite("An app during a call")
struct CallInProgressTests {
    // Proves: E12
    @Test("A user who signs out during a refresh stays signed out")
    func logoutDuringRefresh() async throws {
        let service = try await TestService()
        let client = try await service.signedIn()
        service.clock.advance(by: .seconds(301))
        let held = service.faults.hold(.refresh)
        async let refreshed = client.refresh()
        await held.arrived()
        async let signedOut: Void = client.logout()
        held.release()
        try await signedOut
        _ = try? await refreshed
        #expect(await client.profile == nil)
    }

    @Test("A call that is cancelled while its response is held returns")
    func cancelled() async throws {
        let service = try await TestService()
        let client = try await service.signedIn()
        let held = service.faults.hold(.listSessions)
        let call = Task { try await client.listSessions() }
        await held.arrived()
        call.cancel()
        _ = await call.result
        #expect(service.count(.listSessions) == 1)
    }

    @Test("The app's backend is called with a token, and again after a 401")
    func backend() async throws {
        let service = try await TestService()
        let client = try await service.signedIn()
        let first = try #require(await client.accessToken)
        service.clock.advance(by: .seconds(60))
        service.serveBackend { request in
            let isFirst = request.value(forHTTPHeaderField: "Authorization") == "Bearer " + first
            return isFirst
                ? TestService.BackendAnswer(status: 401) : TestService.BackendAnswer(json: #"{"balance": 12}"#)
        }
        let url = try #require(URL(string: "https://api.example.com/balance?currency=eur"))
        let (body, response) = try await client.data(for: URLRequest(url: url))
        #expect(response.statusCode == 200)
        #expect(String(decoding: body, as: UTF8.self) == #"{"balance": 12}"#)
        #expect(service.requests.filter { $0.path == "/balance" }.map(\.status) == [401, 200])
    }

    @Test("A call to a backend without a handler fails with an error that says what to do")
    func noBackend() async throws {
        let service = try await TestService()
        let client = try await service.signedIn()
        let url = try #require(URL(string: "https://api.example.com/balance"))
        await #expect {
            _ = try await client.data(for: URLRequest(url: url))
        } throws: {
            guard let failure = ($0 as? PreludeSessionError)?.transportFailure else { return false }
            return String(describing: failure.underlying).contains("serveBackend")
        }
    }
}
