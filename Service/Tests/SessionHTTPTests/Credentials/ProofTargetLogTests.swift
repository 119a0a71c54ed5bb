import HTTPTypes
import Logging
import PreludeSessionTesting
import SessionConformance
import SessionDomain
import SessionTokens
import SessionWire
import Synchronization
import Testing

@testable import SessionHTTP

@Suite("Proofs for another URL")
struct ProofTargetLogTests {
    /// Keeps the lines of a logger.
    private final class Lines: Sendable {
        struct Line: Sendable, Equatable {
            let level: Logger.Level
            let claimed: String
            let expected: String
            let omitted: String
        }

        private let kept = Mutex<[Line]>([])
        var all: [Line] { kept.withLock { $0 } }
        func add(_ line: Line) { kept.withLock { $0.append(line) } }
    }

    private struct Handler: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            func value(_ name: String) -> String { event.metadata?[name].map { "\($0)" } ?? "" }
            lines.add(
                Lines.Line(
                    level: event.level, claimed: value("claimed"), expected: value("expected"),
                    omitted: value("omitted")))
        }
    }

    private static func log(_ clock: TestService.Clock) -> ProofTargetLog {
        ProofTargetLog(
            environment: ServiceEnvironment(
                now: { clock.timestamp }, randomBytes: { Array(repeating: 0, count: $0) },
                sleep: { _ in throw CancellationError() }))
    }

    // Proves: A11
    @Test("Both URLs are logged: one warning in ten seconds, with the number of those before it")
    func lines() throws {
        let (lines, clock) = (Lines(), TestService.Clock())
        let logger = Logger(label: "test") { _ in Handler(lines: lines) }
        let log = Self.log(clock)
        let claimed = try #require(TargetURI("https://wrong.example/v1/session/refresh?token=secret#secret"))
        let expected = try #require(TargetURI("https://right.example/v1/session/refresh"))
        for _ in 1...3 { log.note(claimed, expected: expected, logger: logger) }
        clock.advance(by: .seconds(10))
        log.note(nil, expected: expected, logger: logger)
        log.note(nil, expected: expected, logger: logger)
        #expect(lines.all.map(\.level) == [.warning, .debug, .debug, .warning, .debug])
        #expect(lines.all.map(\.omitted) == ["0", "0", "0", "2", "0"])
        #expect(Set(lines.all.map(\.expected)) == ["https://right.example/v1/session/refresh"])
        #expect(lines.all.map(\.claimed).prefix(3).allSatisfy { $0 == "https://wrong.example/v1/session/refresh" })
        #expect(lines.all.last?.claimed == "no valid URL")
    }

    @Test("Proofs for one URL do not hide those for another, and the number of warnings is bounded")
    func origins() throws {
        let lines = Lines()
        let logger = Logger(label: "test") { _ in Handler(lines: lines) }
        let log = Self.log(TestService.Clock())
        let expected = try #require(TargetURI("https://right.example/v1/session/refresh"))
        for name in ["noise", "noise", "typo", "noise"] {
            log.note(TargetURI("https://\(name).example/refresh"), expected: expected, logger: logger)
        }
        #expect(lines.all.map(\.level) == [.warning, .debug, .warning, .debug])
        for number in 0..<20 {
            log.note(TargetURI("https://\(number).example/refresh"), expected: expected, logger: logger)
        }
        #expect(lines.all.filter { $0.level == .warning }.count == ProofTargetLog.maximumWarnings)
    }

    private func proof(url: String) throws -> [String] {
        try ProofDraft(
            signer: PublishedKeys.device, method: "POST", url: url, accessToken: nil, nonce: nil,
            id: "e1j3V_bKic8-LAEB", issuedAt: TestService.Clock().timestamp.seconds
        ).headers()
    }

    // Proves: A11
    @Test(
        "The response has the URL that the proof must have, and not the one that it has",
        arguments: [
            "https://wrong.example/v1/session/refresh?token=secret", "https://testapp.session.test/v1/session/revoke",
            "urn:secret",
        ])
    func response(url: String) async throws {
        let world = try await EdgeWorld()
        let name = try #require(HTTPField.Name(HeaderName.dpop))
        let response = try await world.call(
            .post, "/v1/session/refresh", [name: try proof(url: url)[0]], json: "{}")
        #expect(response.status == 400)
        #expect(response.code == "invalid_dpop_proof")
        #expect(response.members["expected_htu"]?.stringValue == "https://testapp.session.test/v1/session/refresh")
        #expect(response.message?.contains("https://testapp.session.test/v1/session/refresh") == true)
        #expect(!response.text.contains("secret") && !response.text.contains("wrong.example"))
    }

    @Test("Of several origins, the response names the one that the client called")
    func calledOrigin() async throws {
        let world = try await EdgeWorld { $0.domains = ["first.example", "second.example"] }
        let name = try #require(HTTPField.Name(HeaderName.dpop))
        let wrong = [name: try proof(url: "http://second.example/v1/session/refresh")[0]] as HTTPFields
        for (host, expected) in [
            ("second.example", "https://second.example"), ("first.example", "https://first.example"),
            (EdgeWorld.host, "https://testapp.session.test"), ("testapp.elsewhere.example", "https://first.example"),
        ] {
            let response = try await world.call(.post, "/v1/session/refresh", wrong, json: "{}", host: host)
            #expect(response.members["expected_htu"]?.stringValue == expected + "/v1/session/refresh")
        }
    }

    // Proves: A11
    @Test(
        "The claimed URL is read without query and bounded",
        arguments: [
            ("https://A.example:443/b?c=secret#d", "https://a.example/b"), ("urn:a", nil),
            ("https://user:secret@a.example/b", nil), ("https://a.example/" + String(repeating: "b", count: 300), nil),
            ("https://a.example/\n", nil),
        ] as [(String, String?)])
    func claimed(url: String, expected: String?) throws {
        let checker = DPoPProofChecker(method: "POST", targets: [])
        #expect(try checker.claimedTarget(headers: proof(url: url))?.absoluteString == expected)
        #expect(checker.claimedTarget(headers: []) == nil)
        #expect(checker.claimedTarget(headers: ["a.b.c"]) == nil)
    }
}
