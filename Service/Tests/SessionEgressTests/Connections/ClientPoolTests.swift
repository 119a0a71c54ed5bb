import NIOPosix
import NIOSSL
import Testing

@testable import SessionEgress

@Suite("Client pool")
struct ClientPoolTests {
    private let pool = ClientPool(
        tls: .makeClientConfiguration(), eventLoopGroup: MultiThreadedEventLoopGroup.singleton, maximumIdle: 2)

    private func target(_ host: String, address: String = "192.0.2.1") throws -> PinnedTarget {
        PinnedTarget(try EgressURL("https://\(host)/", allowsPlainHTTP: false), address: address)
    }

    private func use(_ target: PinnedTarget) async throws {
        try await pool.withClient(for: target) { _ in }
    }

    @Test("Targets differ by address and by port")
    func targets() async throws {
        let some = [try target("a"), try target("a", address: "192.0.2.2"), try target("a:444"), try target("a")]
        #expect(Set(some).count == 3)
    }

    @Test("Above the limit, the least recently used client is closed")
    func bound() async throws {
        let (a, b, c) = (try target("a"), try target("b"), try target("c"))
        for target in [a, b, a, c] { try await use(target) }
        #expect(pool.targets == [a, c])
        await pool.shutdown()
    }

    @Test("A client in use is not closed and counts towards the limit")
    func inUse() async throws {
        let (a, b, c, d) = (try target("a"), try target("b"), try target("c"), try target("d"))
        try await pool.withClient(for: a) { _ in
            try await pool.withClient(for: b) { _ in
                try await pool.withClient(for: c) { _ in #expect(pool.targets == [a, b, c]) }
                #expect(pool.targets == [a, b])
                try await use(d)
                #expect(pool.targets == [a, b])
            }
        }
        await pool.shutdown()
        #expect(pool.targets.isEmpty)
    }

    @Test("Work that throws releases its client")
    func failure() async throws {
        struct Failure: Error {}
        let (a, b, c) = (try target("a"), try target("b"), try target("c"))
        await #expect(throws: Failure.self) { try await pool.withClient(for: a) { _ in throw Failure() } }
        for target in [b, c] { try await use(target) }
        #expect(pool.targets == [b, c])
        await pool.shutdown()
    }
}
