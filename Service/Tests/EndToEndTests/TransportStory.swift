import Foundation
@_spi(Service) import PreludeSession
import PreludeSessionAsyncHTTPClient
import PreludeSessionTesting
import SessionHTTP
import Testing

/// The real SDK and the real service over a socket, with each of the transports.
@Suite("An app on a real connection", .eachStore, .timeLimit(.minutes(5)))
struct TransportStory {
    enum Choice: CaseIterable {
        case urlSession, asyncHTTPClient

        var transport: any PreludeSessionTransport {
            switch self {
            case .urlSession: PreludeURLSessionTransport()
            case .asyncHTTPClient: AsyncHTTPClientTransport()
            }
        }
    }

    /// Runs work with a client of a served service.
    private func serve(
        _ choice: Choice,
        _ work: @escaping @Sendable (PreludeSessionClient, ServiceWorld, ObservedLine) async throws -> Void
    ) async throws {
        let (world, line) = (try await ServiceWorld(), ObservedLine())
        // The server sends the real time.
        world.clock.advance(by: .seconds(Int(Date().timeIntervalSince(world.clock.now))))
        let clock = world.clock
        try await LoopbackServer.serve(buildRouter(service: world.service, edge: EdgeOptions()), over: line) { port in
            var configuration = PreludeSessionClient.Configuration(endpoint: .custom("http://127.0.0.1:\(port)"))
            configuration.hostOverride = "localhost:8080"
            configuration.credentialStore = PreludeInMemoryCredentialStore()
            configuration.transport = choice.transport
            configuration.environment = SDKEnvironment(now: { clock.now }, randomBytes: SDKEnvironment.live.randomBytes)
            let client = try PreludeSessionClient(configuration: configuration)
            try await work(client, world, line)
        }
    }

    @Test("A user signs in, stays signed in, and signs out", arguments: Choice.allCases)
    func session(_ choice: Choice) async throws {
        try await serve(choice) { client, world, _ in
            let user = try await world.signIn(client)
            try await client.invalidateSession()
            let renewed = try await client.refresh()
            #expect(renewed.accessToken != user.accessToken && renewed.profile == user.profile)
            #expect(try await client.listSessions().sessions.map(\.id) == [user.profile.sessionID])
            try await client.logout()
            #expect(await client.profile == nil)
            await #expect(throws: PreludeSessionError.self) { try await client.refresh() }
        }
    }

    @Test("The calls of an app use one connection")
    func reuse() async throws {
        try await serve(.asyncHTTPClient) { client, world, line in
            try await world.signIn(client)
            try await client.invalidateSession()
            try await client.refresh()
            _ = try await client.listSessions()
            #expect(line.connections == 1 && line.responses > 4)
        }
    }

    @Test(
        "A connection that closes inside the head of a refresh's response keeps the session, and the refresh succeeds")
    func cutHead() async throws {
        try await serve(.asyncHTTPClient) { client, world, line in
            let user = try await world.signIn(client)
            try await client.invalidateSession()
            let before = line.responses
            line.cutNextHead()
            #expect(try await client.refresh().profile == user.profile)
            #expect(line.responses == before + 2)
            try await client.invalidateSession()
            #expect(try await client.refresh().profile == user.profile)
        }
    }

    @Test("A connection that closes inside the head of another response is a lost connection, and keeps the session")
    func cutOtherHead() async throws {
        try await serve(.asyncHTTPClient) { client, world, line in
            try await world.signIn(client)
            line.cutNextHead()
            let error = await #expect(throws: PreludeSessionError.self) { _ = try await client.listSessions() }
            #expect(error?.transportFailure?.cause == .connectionLost)
            #expect(try await client.listSessions().sessions.count == 1)
        }
    }

    #if canImport(FoundationNetworking)
        @Test("A refresh of URLSession on Linux has a connection of its own, which closes after it")
        func ownConnection() async throws {
            try await serve(.urlSession) { client, world, line in
                try await world.signIn(client)
                let before = line.connections
                try await client.invalidateSession()
                try await client.refresh()
                #expect(line.connections == before + 1)
                await line.closing()
                _ = try await client.listSessions()
                #expect(line.connections == before + 1)
            }
        }
    #endif
}
