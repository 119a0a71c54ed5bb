import Foundation
import HTTPTypes
import Testing

@_spi(Service) @testable import PreludeSession

@Suite("Slow and large responses", .timeLimit(.minutes(5)))
struct SlowAnswerTests {
    /// A client with a real connection. Its timeout expires when `sleep` returns.
    private func client(
        of server: RawServer, sleep: @escaping @Sendable (Double) async throws -> Void
    ) throws -> PreludeSessionClient {
        var configuration = PreludeSessionClient.Configuration(endpoint: .custom("http://127.0.0.1:\(server.port)"))
        configuration.credentialStore = PreludeInMemoryCredentialStore()
        configuration.environment = SDKEnvironment(
            now: SDKEnvironment.live.now, randomBytes: SDKEnvironment.live.randomBytes, sleep: sleep)
        return try PreludeSessionClient(configuration: configuration)
    }

    @Test("A task that was cancelled before its request does not wait")
    func cancelled() async throws {
        let server = try RawServer(head: "HTTP/1.1 200 OK\r\n", rest: [])
        let request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:\(server.port)", path: "/")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await PreludeURLSessionTransport().send(request, body: nil, timeout: 60)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    // Proves: E2
    @Test("A slow response has one deadline in all, and its connection is closed")
    func dripping() async throws {
        let server = try RawServer(
            head: "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nContent-Type: application/json\r\n\r\n{", rest: [])
        let client = try client(of: server) { seconds in
            #expect(seconds == 10)
            await server.hasBegun.wait()
        }
        #expect(try await failure { _ = try await client.passwordCompliancy() } == "timeout")
        await server.isHungUp.wait()
    }

    // Proves: E2
    @Test(
        "A response is read up to 1 MiB",
        arguments: ["", "Content-Length: 1099511627776\r\n"])
    func endless(length: String) async throws {
        let server = try RawServer(
            head: "HTTP/1.1 200 OK\r\n\(length)Content-Type: application/json\r\n\r\n",
            rest: [UInt8](repeating: 0x20, count: 1 << 16))
        let client = try client(of: server, sleep: SDKEnvironment.untilCancelled)
        #expect(try await failure { _ = try await client.passwordCompliancy() } == "network")
        await server.isHungUp.wait()
    }

    @Test("A complete response arrives with its status and fields")
    func whole() async throws {
        let body = #"{"code":"rate_limited","message":"slowly"}"#
        let server = try RawServer(
            head:
                "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)",
            rest: [])
        let client = try client(of: server, sleep: SDKEnvironment.untilCancelled)
        let error = await #expect(throws: PreludeSessionError.self) { _ = try await client.passwordCompliancy() }
        #expect(error?.retryAfter == 7)
    }

    @Test("A too large response of a transport without a limit is rejected")
    func otherTransport() async throws {
        let fixture = try await ClientFixture(signedIn: false)
        await fixture.transport.answer(
            "/password/compliancy", .success(String(repeating: " ", count: (1 << 20) + 1)))
        let client = try fixture.client()
        #expect(try await failure { _ = try await client.passwordCompliancy() } == "network")
    }
}
