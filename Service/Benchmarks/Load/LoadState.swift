import NIOCore

/// A server under load.
enum ServerKind: Sendable, Hashable, CaseIterable {
    case service, bound, verifier, peer
}

/// Everything that belongs to the event loop of the generator: connections, devices and codes.
final class LoadState {
    let inbox = CodeInbox()
    private let loop: any EventLoop
    private var connections: [ServerKind: [Connection]] = [:]
    private var wires: [ServerKind: WireRequest] = [:]
    private var clients: [LoadClient] = []
    private var peerSessions: [OAuthRefresh] = []

    init(loop: any EventLoop) { self.loop = loop }

    func connection(to server: ServerKind, port: Int) -> Connection {
        wires[server] = WireRequest(port: port)
        let connection = Connection(inbox)
        connections[server, default: []].append(connection)
        return connection
    }

    /// Forgets the connections of a server that have failed to open.
    func removeClosed(_ server: ServerKind) { connections[server]?.removeAll { !$0.isOpen } }

    func add(_ peer: Peer) throws {
        peerSessions = try peer.sessions.map { try OAuthRefresh(peer, session: $0) }
    }

    func start(_ phase: Phase, _ scenario: Scenario) throws -> EventLoopFuture<PhaseResult> {
        inbox.forgetAll()
        let open = (connections[scenario.server] ?? []).filter(\.isOpen).dropFirst(phase.firstConnection)
            .prefix(phase.connections)
        guard open.count == phase.connections else {
            throw BenchmarkError("only \(open.count) of \(phase.connections) connections are open")
        }
        let run = PhaseRun(phase, loop: loop)
        for (index, connection) in open.enumerated() {
            connection.assign(try operation(scenario, phase.firstConnection + index), in: run)
        }
        return run.start(Array(open))
    }

    private func operation(_ scenario: Scenario, _ index: Int) throws -> any Operation {
        if scenario == .peerRefresh {
            guard index < peerSessions.count else { throw BenchmarkError("the peer has too few sessions") }
            return peerSessions[index]
        }
        guard let service = wires[.service] else { throw BenchmarkError("the service is not connected") }
        while clients.count <= index { clients.append(try LoadClient(clients.count, wire: service)) }
        return try scenario.operation(clients[index], wires: wires)
    }
}
