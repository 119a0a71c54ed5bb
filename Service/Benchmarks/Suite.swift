import Foundation

/// All processes of a run, and the order of what is measured.
final class Suite {
    let plan: Plan
    let cores: Cores
    let generator: Generator
    private let own: URL
    private let folder: URL
    private let service: ServiceProcess
    private let others: [ServerKind: ChildProcess]
    private let peer: Peer?
    var results = Results()

    /// Connections of the comparison with the bound.
    private static let connections = [16, 64, 1]
    /// Password logins have the first connections, and refreshes beside them the others.
    private static let allConnections = passwordConnections + 64

    /// Starts the servers, opens all connections, and changes the settings of the service.
    init(plan: Plan, service program: URL, own: URL, folder: URL, cores: Cores, peer: Peer?) async throws {
        self.peer = peer
        (self.plan, self.own, self.folder, self.cores) = (plan, own, folder, cores)
        generator = try await Generator()
        let port = try await generator.freePort()
        service = try ServiceProcess(
            program, folder: folder, port: port, backend: try await generator.startBackend(), core: cores.server)
        var others: [ServerKind: ChildProcess] = [:]
        do {
            try await generator.connect(.service, port: port, count: Self.allConnections, of: service.process)
            for (kind, arguments) in [
                ServerKind.bound: ["bound"], .verifier: ["verifier", "--service", "\(port)"],
            ] {
                let port = try await generator.freePort()
                let process = try ChildProcess(
                    "\(kind)", [own.path] + arguments + ["--port", "\(port)"], core: cores.server,
                    log: folder.appendingPathComponent("\(kind).log"))
                others[kind] = process
                try await generator.connect(kind, port: port, count: 64, of: process)
            }
            if let peer { try await generator.connect(peer) }
            let once = Phase(pace: .once, connections: 1)
            for call in service.settings(passwordUsers: Self.passwordConnections) {
                _ = try await generator.run(once, .manage(call))
            }
            try await Self.require(
                generator.run(Phase(pace: .once, connections: Self.allConnections), .signIn), "the first login")
        } catch {
            for process in [service.process] + others.values {
                try? process.check()
                process.stop()
            }
            throw error
        }
        self.others = others
    }

    var processes: [ChildProcess] { [service.process] + others.values }

    func stop() {
        for process in processes { process.stop() }
    }

    func run() async throws {
        print("\(plan.rounds) rounds, \(plan.seconds) s each phase; \(cores.description); medians of the rounds")
        print("database: SQLite in \(folder.deletingLastPathComponent().path), synchronous=FULL; plain HTTP, loopback")
        let warmUp = min(0.5, plan.seconds)
        for scenario in plan.part == .passwords ? [Scenario.refresh] : [.bound, .refresh, .otpLogin, .verify] {
            try await prepare(scenario, connections: 16)
            _ = try await generator.run(Phase(pace: .closed, connections: 16, seconds: warmUp), scenario)
        }
        for _ in 0..<plan.rounds {
            switch plan.part {
            case .all:
                try await compareWithBound()
                try await measureInProcess()
                try await measureCodes()
                try await measureOthers()
                try await measurePasswords()
            case .refresh: try await compareWithBound()
            case .codes:
                _ = try await closed("refresh", .refresh, 16)
                try await measureCodes()
            case .passwords:
                _ = try await closed("refresh", .refresh, 16)
                try await measureInProcess()
                try await measurePasswords()
            }
        }
        print(results.text)
        guard [.all, .refresh].contains(plan.part) else { return }
        print(
            String(
                format: "refresh %.2f of the bound, p99/p50 %.1f at half load", results.ratio("refresh / bound, 16"),
                results.ratio("p99 / p50 at half load")))
    }

    private func compareWithBound() async throws {
        for connections in Self.connections {
            let bound = try await closed("bound", .bound, connections)
            let refresh = try await closed("refresh", .refresh, connections)
            results.addRatio("refresh / bound, \(connections)", refresh.rate / bound.rate)
            guard let peer, peer.sessions.count >= connections else { continue }
            let other = try await closed(peer.name, .peerRefresh, connections)
            results.addRatio("refresh / \(peer.name), \(connections)", refresh.rate / other.rate)
        }
        let maximum = results.last(.init(name: "refresh", connections: 16))?.rate ?? 0
        let half = try await measure(
            "refresh", .refresh, Phase(pace: .open(perSecond: max(1, maximum / 2)), connections: 64))
        results.addRatio("p99 / p50 at half load", half.tail)
    }

    /// Needs the rate of refreshes of the same round.
    private func measureCodes() async throws {
        let refresh = results.last(.init(name: "refresh", connections: 16))?.rate ?? 0
        for route in SMSRoute.allCases {
            _ = try await generator.run(Phase(pace: .once, connections: 1), .manage(service.use(route)))
            let login = try await closed("otp login, \(route)", .otpLogin, 16)
            results.addRatio("otp login, \(route) / refresh", login.rate / refresh)
        }
    }

    private func measureOthers() async throws {
        _ = try await closed("list sessions", .list, 16)
        _ = try await closed("step-up", .stepUp, 64)
        _ = try await closed("verify only", .verify, 16)
        _ = try await closed("mixed 10:1", .mixed, 16)
    }

    private func measureInProcess() async throws {
        let place = folder.appendingPathComponent("in-process")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        let process = try ChildProcess(
            "in-process",
            [own.path, "in-process", "--folder", place.path, "--seconds", "\(plan.seconds)"]
                + (plan.part == .passwords ? ["--only-hashes"] : []),
            core: cores.server, log: folder.appendingPathComponent("in-process.log"))
        for line in try process.finish().split(separator: "\n") {
            if let result = InProcessResult(line) { results.add(result) }
        }
        guard let domain = results.lastInProcess("domain"),
            let refresh = results.last(.init(name: "refresh", connections: 16))
        else { return }
        results.addRatio("refresh / domain alone", refresh.rate / domain.perSecond)
        guard let sync = results.lastInProcess("sync"), let bound = results.last(.init(name: "bound", connections: 1)),
            let alone = results.last(.init(name: "refresh", connections: 1))
        else { return }
        results.addRatio("refresh / bound and sync, 1", alone.rate * (1 / bound.rate + 1 / sync.perSecond))
    }

    func closed(_ name: String, _ scenario: Scenario, _ connections: Int) async throws -> Row {
        try await measure(name, scenario, Phase(pace: .closed, connections: connections))
    }

    /// Makes the tokens or users that a scenario needs. It is not measured.
    private func prepare(_ scenario: Scenario, connections: Int) async throws {
        guard let preparation = scenario.preparation else { return }
        let phase = Phase(pace: .once, connections: connections)
        try await Self.require(generator.run(phase, preparation), "the preparation of \(scenario)")
    }

    private static func require(_ result: PhaseResult, _ what: String) throws {
        guard let error = result.tally.firstError else { return }
        throw BenchmarkError("\(what) has failed: \(error)")
    }

    func measure(_ name: String, _ scenario: Scenario, _ phase: Phase) async throws -> Row {
        try await prepare(scenario, connections: phase.connections)
        var phase = phase
        phase.seconds = plan.seconds
        return try await measure(name, phase, of: scenario.server) { try await generator.run(phase, scenario) }
    }

    /// Adds the row of what a server has done and used while a closure ran.
    func measure(
        _ name: String, _ phase: Phase, of server: ServerKind, _ run: () async throws -> PhaseResult
    ) async throws -> Row {
        let process = others[server] ?? service.process
        let id = server == .peer ? peer?.pid ?? 0 : process.id
        let (before, own) = (ProcessUsage(of: id), ProcessUsage.ownCPU)
        let result = try await run()
        let (after, ownAfter) = (ProcessUsage(of: id), ProcessUsage.ownCPU)
        try process.check()
        if let error = result.tally.firstError {
            FileHandle.standardError.write(Data("\(name): \(error.prefix(300))\n".utf8))
        }
        let row = Row(
            name, phase, result, server: (before, after), generatorSeconds: ownAfter - own)
        var key = Results.Key(name: name, connections: phase.connections)
        if case .open = phase.pace { key.isOpen = true }
        results.add(row, key)
        return row
    }
}
