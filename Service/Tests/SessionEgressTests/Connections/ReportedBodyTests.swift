import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import SessionDomain
import Synchronization
import Testing

@testable import SessionEgress

/// Tests that a caller knows whether a receiver may have got the request of a call that failed.
@Suite("Reports of sent requests", .timeLimit(.minutes(5)))
struct ReportedBodyTests {
    private final class Reports: Sendable {
        let count = Mutex(0)
    }

    /// Posts to the URL and returns the answer, and how often the request was reported as sent.
    private func post(_ url: String, timeout: Int = 60) async throws -> (
        answer: Result<EgressAnswer, EgressError>, sent: Int
    ) {
        let reports = Reports()
        let result = try await withEgress { egress in
            do throws(EgressError) {
                return Result<EgressAnswer, EgressError>.success(
                    try await egress.send(
                        EgressRequest(
                            .post, url, headers: [("Content-Type", "text/plain")], body: Data("hello".utf8),
                            timeout: timeout, onSend: { reports.count.withLock { $0 += 1 } })))
            } catch {
                return .failure(error)
            }
        }
        return (answer: result, sent: reports.count.withLock { $0 })
    }

    @Test("A request with a report arrives unchanged, and is reported once")
    func arrives() async throws {
        try await withServer(.answer(.ok, body: "thanks")) { server in
            let (result, sent) = try await post(server.url)
            #expect(try result.get() == EgressAnswer(status: 200, body: Data("thanks".utf8)))
            #expect(sent == 1)
            let request = try #require(server.requests.first)
            #expect(request.body == "hello")
            #expect(request.head.headers["content-length"] == ["5"])
            #expect(request.head.headers["transfer-encoding"].isEmpty)
        }
    }

    // Proves: M8
    @Test("A request is reported as sent if the server gets it, and then says nothing or closes the connection")
    func unanswered() async throws {
        try await withServer(.silence) { server in
            let (result, sent) = try await post(server.url, timeout: 1)
            #expect(throws: EgressError.timedOut) { try result.get() }
            #expect(sent == 1)
        }
        try await withServer(.bytes("", closes: true)) { server in
            let (result, sent) = try await post(server.url)
            #expect(throws: EgressError.self) { try result.get() }
            #expect(sent == 1)
        }
    }

    @Test("The status is reported as soon as it has arrived, also if the rest of the answer never comes")
    func status() async throws {
        #expect(try await statuses(.stuck, timeout: 1) == [200])
        #expect(try await statuses(.silence, timeout: 1) == [])
        #expect(try await statuses(.answer(.created), timeout: 60) == [201])
    }

    /// The statuses that one request reports.
    private func statuses(_ reply: TestServer.Reply, timeout: Int) async throws -> [Int] {
        let statuses = Mutex<[Int]>([])
        try await withServer(reply) { server in
            var request = EgressRequest(.post, server.url, body: Data("hello".utf8), timeout: timeout)
            request.onStatus = { status in statuses.withLock { $0.append(status) } }
            let call = request
            _ = try? await withEgress { try await $0.send(call) }
        }
        return statuses.withLock { $0 }
    }

    @Test("A request is not reported as sent without a connection, an allowed address or a TLS handshake")
    func unsent() async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { $0.eventLoop.makeSucceededVoidFuture() }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        let handshake = try await post("https://127.0.0.1:\(port)/", timeout: 1)
        #expect(throws: EgressError.timedOut) { try handshake.answer.get() }
        try await server.close()
        let closed = try await post("http://127.0.0.1:\(port)/")
        let forbidden = try await post("http://10.0.0.1/")
        for call in [handshake, closed, forbidden] { #expect(call.sent == 0) }
    }
}
