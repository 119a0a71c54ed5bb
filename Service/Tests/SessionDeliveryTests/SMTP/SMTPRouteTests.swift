import NIOCore
import NIOPosix
import SessionDomain
import Testing

@testable import SessionDelivery

@Suite("The route to a mail server")
struct SMTPRouteTests {
    private func route(_ dependencies: RouteDependencies, port: Int = 587) throws -> SMTPRoute {
        try #require(
            SMTPRoute(
                RouteSettings(kind: .smtp, host: "mail.example.com", port: port, from: "login@example.com"),
                secret: nil, senderDomains: [], in: dependencies))
    }

    /// A server that accepts connections and never says anything.
    private func silentServer() async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(host: "127.0.0.1", port: 0).get()
    }

    // Proves: H1
    @Test(
        "An address that is not allowed is not connected to", arguments: ["127.0.0.1", "10.1.2.3", "169.254.169.254"])
    func addresses(address: String) async throws {
        let result = try await route(dependencies(addresses: [address])).send(message())
        #expect(result.failure?.stage == .addressRules)
        #expect(result.failure?.reason.contains(address) == false)
    }

    @Test("A name without an address is a failure of name resolution")
    func noAddress() async throws {
        #expect(try await route(dependencies(addresses: [])).send(message()).failure?.stage == .nameResolution)
    }

    @Test("An expired message is not sent")
    func expired() async throws {
        let result = try await route(dependencies()).send(message(expiresAt: now))
        #expect(result == .failed(SendingFailure(.timeout, "the message has expired")))
    }

    // Proves: M6
    @Test(
        "A message that cannot be a mail is rejected before a connection",
        arguments: [
            (.recipient, "not an address", "Your code"), (.content, nil, "a\r\nBcc: eve@example.com"),
        ] as [(SendingFailure.Stage, String?, String)])
    func invalid(stage: SendingFailure.Stage, to: String?, subject: String) async throws {
        let result = try await route(dependencies()).send(message(to: to, subject: subject))
        guard case .rejected(let failure) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(failure.stage == stage)
    }

    // Proves: M12
    @Test("A cancelled attempt ends, and the next one gets the worker")
    func cancellation() async throws {
        let server = try await silentServer()
        let port = try #require(server.localAddress?.port)
        let dependencies = dependencies(
            allowing: ["127.0.0.0/8"], workers: SMTPWorkers(count: 1, sleep: ServiceEnvironment.live.sleep))
        let route = try route(dependencies, port: port)
        let attempt = Task { try await route.send(message()) }
        attempt.cancel()
        #expect(try await attempt.value.failure?.stage == .timeout)
        try await server.close()
        #expect(try await route.send(message()).failure?.stage == .connection)
    }

    @Test("More mails than workers wait for their turn")
    func bounded() async throws {
        let server = try await silentServer()
        let port = try #require(server.localAddress?.port)
        try await server.close()
        // The patience of those that wait never ends.
        let workers = SMTPWorkers(count: 2) { _ in try await Task.sleep(for: .seconds(86_400)) }
        let route = try route(dependencies(allowing: ["127.0.0.0/8"], workers: workers), port: port)
        let results = try await withThrowingTaskGroup(of: SendingResult.self) { group in
            for _ in 0..<20 { group.addTask { try await route.send(message()) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count == 20)
        #expect(results.allSatisfy { $0.failure?.stage == .connection })
    }

    // Proves: M2
    @Test("Mails to a server that hangs leave workers to other servers, and are given up when none gets free")
    func hangingServer() async throws {
        let (silent, closed) = (try await silentServer(), try await silentServer())
        let (port, other) = (
            try #require(silent.localAddress?.port), try #require(closed.localAddress?.port)
        )
        try await closed.close()
        // The patience of those that wait ends at once.
        let dependencies = dependencies(
            allowing: ["127.0.0.0/8"], workers: SMTPWorkers(count: SMTPWorkers.width + 1, sleep: { _ in }))
        let (hanging, healthy) = (try route(dependencies, port: port), try route(dependencies, port: other))
        try await withThrowingTaskGroup(of: SendingResult.self) { group in
            for _ in 0..<(SMTPWorkers.width + 2) { group.addTask { try await hanging.send(message()) } }
            let busy = SendingFailure(.timeout, "no worker was free in 10 seconds", isAbandoned: true)
            #expect(try await group.next() == .failed(busy))
            #expect(try await group.next() == .failed(busy))
            #expect(try await healthy.send(message()).failure?.stage == .connection)
            group.cancelAll()
            for try await result in group { #expect(result.failure?.stage == .timeout) }
        }
        try await silent.close()
    }
}
