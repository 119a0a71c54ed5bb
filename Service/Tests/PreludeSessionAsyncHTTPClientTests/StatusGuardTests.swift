import AsyncHTTPClient
import Foundation
import HTTPTypes
import NIOCore
import PreludeSession
import PreludeSessionAsyncHTTPClient
import Synchronization
import Testing

/// Tests that no status of a server ends the process.
@Suite("Statuses that cannot answer a request of the SDK", .timeLimit(.minutes(5)))
struct StatusGuardTests {
    private func send(
        to server: PlayedServer, with transport: AsyncHTTPClientTransport = AsyncHTTPClientTransport()
    ) async throws -> (status: Int, body: Data) {
        let (response, body) = try await transport.send(
            HTTPRequest(method: .post, scheme: "http", authority: "127.0.0.1:\(server.port)", path: "/"),
            body: Data("{}".utf8), timeout: 60)
        return (response.status.code, body)
    }

    private func cause(_ work: () async throws -> Void) async -> PreludeTransportFailure.Cause? {
        let error = await #expect(throws: PreludeSessionError.self) { try await work() }
        return error?.transportFailure?.cause
    }

    // Proves: H20
    @Test(
        "A final status below 100, and 101, cannot be read, and the connection is closed",
        arguments: ["000", "020", "099", "101"])
    func invalid(_ status: String) async throws {
        for rest in ["\r\n", "Content-Length: 0\r\n\r\n", "Content-Length: 5\r\n\r\nhello"] {
            try await PlayedServer.serve(.bytes("HTTP/1.1 \(status) X\r\n" + rest), .complete("{}")) { server in
                let transport = AsyncHTTPClientTransport()
                #expect(await cause { _ = try await send(to: server, with: transport) } == .invalidResponse)
                await server.traffic.wait { $0.closedConnections == 1 }
                let next = try await send(to: server, with: transport)
                #expect(next.status == 200)
                #expect(server.traffic.now.requests.count == 2)
            }
        }
    }

    @Test("An interim status before the response is skipped", arguments: ["100", "102", "199"])
    func interim(_ status: String) async throws {
        let text = "HTTP/1.1 \(status) X\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        try await PlayedServer.serve(.bytes(text)) { server in
            let (status, body) = try await send(to: server)
            #expect(status == 200 && body == Data("ok".utf8))
        }
    }

    @Test("An interim status without a response is a lost connection", arguments: ["100", "199"])
    func onlyInterim(_ status: String) async throws {
        try await PlayedServer.serve(.last("HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n")) { server in
            #expect(await cause { _ = try await send(to: server) } == .connectionLost)
        }
    }

    @Test("A connection handler of the app's configuration is still called, beside the guard")
    func configuredHandler() async throws {
        let calls = Mutex(0)
        try await PlayedServer.serve(.bytes("HTTP/1.1 099 X\r\n\r\n")) { server in
            let configuration = HTTPClient.Configuration(http1_1ConnectionDebugInitializer: { channel in
                calls.withLock { $0 += 1 }
                return channel.eventLoop.makeSucceededVoidFuture()
            })
            let transport = AsyncHTTPClientTransport(configuration: configuration)
            #expect(await cause { _ = try await send(to: server, with: transport) } == .invalidResponse)
        }
        #expect(calls.withLock { $0 } == 1)
    }
}
