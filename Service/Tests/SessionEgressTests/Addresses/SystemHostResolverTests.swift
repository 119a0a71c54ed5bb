import NIOPosix
import SessionDomain
import Testing

@testable import SessionEgress

@Suite("System host resolver", .timeLimit(.minutes(5)))
struct SystemHostResolverTests {
    @Test(
        "An address in any spelling resolves to itself",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("127.1", "127.0.0.1"), ("0x7f.1", "127.0.0.1"), ("2130706433", "127.0.0.1"),
            ("0177.0.0.1", "127.0.0.1"), ("::1", "::1"), ("::ffff:10.0.0.1", "::ffff:10.0.0.1"),
        ])
    func literals(_ text: String, _ address: String) async throws {
        #expect(try await SystemHostResolver().addresses(of: text) == [address])
        #expect(AddressInfo.literal(text) == address)
    }

    @Test(
        "Unusual spellings of private addresses are rejected",
        arguments: [
            "127.1", "0x7f.1", "2130706433", "0177.1", "0xa9fea9fe", "[::1]", "[::ffff:127.0.0.1]", "localhost",
        ])
    func oddSpellings(_ host: String) async throws {
        try await withEgress(EgressPolicy()) { egress in
            await expectRefusedAddress { try await egress.send(EgressRequest(.get, "https://\(host)/")) }
        }
    }

    @Test("The name localhost resolves to a loopback address")
    func localhost() async throws {
        let addresses = try await SystemHostResolver().addresses(of: "localhost")
        #expect(!addresses.isEmpty)
        #expect(addresses.allSatisfy(IPNetwork.loopback(contains:)))
    }

    @Test("A name is not read as an address")
    func noLiteral() {
        for text in ["localhost", "api.example", ""] { #expect(AddressInfo.literal(text) == nil) }
    }

    @Test("The resolver's message for a name without addresses is part of the error")
    func failure() async throws {
        let resolver = SystemHostResolver(threads: .singleton) { _ in throw HostResolutionError(reason: "no such name")
        }
        try await withEgress(resolver: resolver) { egress in
            await #expect(throws: EgressError.cannotResolve("service.invalid: no such name")) {
                try await egress.send(EgressRequest(.get, "https://service.invalid/"))
            }
        }
    }

    @Test("Cancelling the task ends its wait for a look-up that hangs")
    func cancelled() async throws {
        let lookUp = HangingLookUp()
        let resolver = SystemHostResolver(threads: lookUp.threads) { _ in lookUp.run() }
        let task = Task { try await resolver.addresses(of: "slow.invalid") }
        while lookUp.begun == 0 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await lookUp.end()
    }

    @Test("All look-ups of a name that hangs use one thread, and another name uses another thread")
    func shared() async throws {
        let lookUp = HangingLookUp()
        let resolver = SystemHostResolver(threads: lookUp.threads) { host in
            host == "fast.invalid" ? ["192.0.2.1"] : lookUp.run()
        }
        let tasks = (0..<10).map { _ in Task { try await resolver.addresses(of: "slow.invalid") } }
        while lookUp.begun == 0 { await Task.yield() }
        #expect(try await resolver.addresses(of: "fast.invalid") == ["192.0.2.1"])
        #expect(lookUp.begun == 1)
        for task in tasks { task.cancel() }
        try await lookUp.end()
    }
}
