import SessionDomain
import Testing

@Suite("Readiness of a node")
struct ReadinessTests {
    // Proves: N3
    @Test("Only failing writes and the end of the process take a node out; the others are warnings")
    func decision() {
        let table: [(change: (inout HealthFindings) -> Void, check: Readiness.Check, isReady: Bool)] = [
            ({ $0.storeFails = true }, .database, false),
            ({ $0.writeWaits = HealthFindings.slowWrite + 1 }, .database, false),
            ({ $0.isDraining = true }, .draining, false),
            ({ $0.missingKeys = ["k1"] }, .keys, true),
            ({ $0.freeBytes = HealthFindings.lowDisk - 1 }, .disk, true),
            ({ $0.logBytes = HealthFindings.longestLog + 1 }, .databaseLog, true),
            ({ $0.clock = .farOff }, .clock, true),
            ({ $0.clock = .jumped(seconds: -90) }, .clock, true),
            ({ $0.failingRoutes = 1 }, .delivery, true),
            ({ $0.certificate = .expired(at: Timestamp(seconds: 1)) }, .certificate, true),
            ({ $0.hiddenClients = HiddenClients(proxy: "10.0.0.1", header: "X-Real-IP") }, .clientAddress, true),
        ]
        for (change, check, isReady) in table {
            var findings = HealthFindings()
            change(&findings)
            #expect(Set(findings.readiness.reasons.keys) == [check])
            #expect(findings.readiness.isReady == isReady)
        }
    }

    @Test("A node without findings, or with enough of everything, is ready without reasons")
    func well() {
        var findings = HealthFindings()
        #expect(findings.readiness == Readiness(reasons: [:]) && findings.readiness.isReady)
        (findings.freeBytes, findings.writeWaits) = (HealthFindings.lowDisk, HealthFindings.slowWrite)
        findings.logBytes = HealthFindings.longestLog
        #expect(findings.readiness.reasons.isEmpty)
    }
}
