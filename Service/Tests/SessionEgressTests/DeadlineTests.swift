import Foundation
import NIOCore
import NIOPosix
import SessionDomain
import Testing

@testable import SessionEgress

/// Tests that one deadline covers a call from the look-up to the last byte. Each test hangs at another point.
@Suite("Deadline", .timeLimit(.minutes(5)))
struct DeadlineTests {
    private func expectTimeout(_ url: String, resolver: (any HostResolver)? = nil) async throws {
        try await withEgress(resolver: resolver) { egress in
            await #expect(throws: EgressError.timedOut) { try await egress.send(EgressRequest(.get, url, timeout: 1)) }
        }
    }

    @Test("A call to a server that never answers times out")
    func silentServer() async throws {
        try await withServer(.silence) { server in
            try await expectTimeout(server.url)
            #expect(server.requests.count == 1)
        }
    }

    @Test("A call to a server that stops in the middle of the body times out")
    func stuckServer() async throws {
        try await withServer(.stuck) { try await expectTimeout($0.url) }
    }

    @Test("A call to a server that never does the TLS handshake times out")
    func silentHandshake() async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { $0.eventLoop.makeSucceededVoidFuture() }
            .bind(host: "127.0.0.1", port: 0).get()
        try await expectTimeout("https://127.0.0.1:\(#require(server.localAddress?.port))/")
        try await server.close()
    }

    @Test("Each call times out when name servers hang and there are more look-ups than threads")
    func hangingResolver() async throws {
        let lookUp = HangingLookUp()
        let resolver = SystemHostResolver(threads: lookUp.threads) { _ in lookUp.run() }
        let count = HangingLookUp.threadCount + 2
        try await withEgress(resolver: resolver) { egress in
            await withTaskGroup(of: EgressError?.self) { group in
                for index in 0..<count {
                    group.addTask {
                        do throws(EgressError) {
                            _ = try await egress.send(EgressRequest(.get, "https://slow\(index).example/", timeout: 1))
                            return nil
                        } catch {
                            return error
                        }
                    }
                }
                for await error in group { #expect(error == .timedOut) }
            }
        }
        try await lookUp.end()
        #expect(lookUp.begun == HangingLookUp.threadCount, "look-ups that waited for a thread are not started")
    }

    @Test("Cancelling the caller ends the call without a timeout error")
    func cancelled() async throws {
        try await withServer(.silence) { server in
            try await withEgress { egress in
                let url = server.url
                let call = Task { try await egress.send(EgressRequest(.get, url, timeout: 50)) }
                while server.requests.isEmpty { await Task.yield() }
                call.cancel()
                await #expect(throws: EgressError.connectionFailed("The call was cancelled.")) { try await call.value }
            }
        }
    }
}
