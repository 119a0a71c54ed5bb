/// What password logins reach, and what refreshes notice of them.
extension Suite {
    /// Connections with password logins.
    static let passwordConnections = 16

    /// Measures password logins alone, refreshes at half of their rate alone, and then both at the same time.
    ///
    /// Needs the rate of refreshes and of bare hashes, of the same round.
    func measurePasswords() async throws {
        guard let most = results.last(.init(name: "refresh", connections: 16))?.rate,
            let bare = results.lastInProcess("argon2id")?.perSecond
        else { return }
        let login = try await closed("password login", .passwordLogin, Self.passwordConnections)
        results.addRatio("password login / argon2id", login.rate / bare)

        let pace = Pace.open(perSecond: max(1, most / 2))
        let refreshes = Phase(
            pace: pace, connections: 64, firstConnection: Self.passwordConnections, seconds: plan.seconds)
        let alone = try await measure("refresh alone", .refresh, refreshes)
        let (both, logins) = try await measureBoth(
            refreshes, Phase(pace: .closed, connections: Self.passwordConnections, seconds: plan.seconds))
        guard let beside = both.parts["refresh"] else { throw BenchmarkError("no refresh has succeeded") }
        results.addRatio("p99 of refreshes, beside password logins / alone", beside[1] / alone.latencies[2])
        results.addRatio("password login beside refreshes / argon2id", logins / bare)
        // Refreshes come first, and the hashes have one core together with them.
        if cores.server != nil, alone.serverLoad < 1 {
            results.addRatio(
                "password login beside refreshes / argon2id in the time that refreshes leave",
                logins / (bare * (1 - alone.serverLoad)))
        }
    }

    /// Runs both phases at the same time.
    ///
    /// - Returns: One row of all operations, and the password logins per second while refreshes were sent.
    private func measureBoth(_ refreshes: Phase, _ logins: Phase) async throws -> (Row, logins: Double) {
        var inTime = 0
        var all = refreshes
        all.connections += logins.connections
        let row = try await measure("refresh + passwords", all, of: .service) {
            let (refreshed, signedIn) = try await generator.run(refreshes, .refresh, beside: logins, .passwordLogin)
            inTime = signedIn.completedInTime
            return refreshed.joined(signedIn)
        }
        return (row, Double(inTime) / plan.seconds)
    }
}
