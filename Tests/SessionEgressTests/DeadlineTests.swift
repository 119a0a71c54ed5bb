import Foundation
import NIOCore
import NIOPosix
import SessionDomain
import Testing

@testable import SessionEgress

/// One deadline covers everything from the look-up to the last byte; each test hangs somewhere else.
@Suite("Deadline", .timeLimit(.minutes(1)))
struct DeadlineTests {
    private func expectTimeout(_ url: String, resolver: (any HostResolver)? = nil) async throws {
        try await withEgress(resolver: resolver) { egress in
            await #expect(throws: EgressError.timedOut) { try await egress.send(EgressRequest(.get, url, timeout: 1)) }
        }
    }

    @Test("A server that never answers")
    func silentServer() async throws {
        try await withServer(.silence) { server in
            try await expectTimeout(server.url)
            #expect(server.requests.count == 1)
        }
    }

    @Test("A server that stops in the middle of the body")
    func stuckServer() async throws {
        try await withServer(.stuck) { try await expectTimeout($0.url) }
    }

    @Test("A server that never shakes hands")
    func silentHandshake() async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { $0.eventLoop.makeSucceededVoidFuture() }
            .bind(host: "127.0.0.1", port: 0).get()
        try await expectTimeout("https://127.0.0.1:\(#require(server.localAddress?.port))/")
        try await server.close()
    }

    @Test("Name servers that hang: more look-ups than there are threads, and none outlives its deadline")
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
        #expect(lookUp.begun == HangingLookUp.threadCount, "those that waited for a thread were given up")
    }

    @Test("Cancelling the caller ends the call, and is no timeout")
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
