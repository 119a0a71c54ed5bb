import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import PreludeSessionTesting
import SessionDomain
import Synchronization
import Testing

@testable import SessionHTTP

@Suite("The line of each request")
struct AccessLogTests {
    /// Keeps each line with its metadata, and what is observed.
    private final class Lines: ServiceObserver {
        private let kept = Mutex<[[String: String]]>([])
        private let requests = Mutex<[ServedRequest]>([])

        var all: [[String: String]] { kept.withLock { $0 } }
        var observed: [ServedRequest] { requests.withLock { $0 } }

        func add(_ line: [String: String]) { kept.withLock { $0.append(line) } }

        func observe(_ occurrence: Occurrence) {
            if case .request(let request) = occurrence { requests.withLock { $0.append(request) } }
        }
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
            guard event.message == "request" else { return }
            var line = metadata.merging(event.metadata ?? [:]) { _, new in new }.mapValues { "\($0)" }
            line["level"] = event.level.rawValue
            lines.add(line)
        }
    }

    /// Sends requests and returns their lines.
    private func lines(
        _ world: ServiceWorld, _ requests: [(method: String, path: String, body: String)],
        fields: HTTPFields = [:]
    ) async throws -> (lines: [[String: String]], observed: [ServedRequest]) {
        let lines = Lines()
        let node = world.node { $0.observer = Observers([TrailObserver(), lines]) }
        let controls = ProcessControls(metrics: { "test_total 1\n" }, logLevel: { .info }, setLogLevel: { _ in })
        let responder = buildRouter(
            service: node.service, edge: EdgeOptions(trustedProxies: [], countryHeader: nil), controls: controls
        ).buildResponder()
        let logger = Logger(label: "test") { _ in Handler(lines: lines) }
        for request in requests {
            var headers = fields
            headers[.contentType] = "application/json"
            let method = try #require(HTTPRequest.Method(rawValue: request.method))
            _ = try await responder.respond(
                to: Request(
                    head: HTTPRequest(
                        method: method, scheme: "https", authority: "localhost", path: request.path,
                        headerFields: headers),
                    body: RequestBody(buffer: ByteBuffer(string: request.body))),
                context: ServiceRequestContext(logger: logger, peerAddress: "203.0.113.9"))
        }
        return (lines.all, lines.observed)
    }

    private func world() async throws -> ServiceWorld {
        try await ServiceWorld(
            clock: TestService.Clock(), origin: "https://localhost",
            edge: EdgeOptions(trustedProxies: [], countryHeader: nil),
            environment: { $0.observer = TrailObserver() }, configure: { _ in })
    }

    // Proves: A6
    @Test("It has id, app, route, method, status, address and milliseconds, and no text of the caller")
    func members() async throws {
        let (lines, observed) = try await lines(
            try await world(),
            [
                (
                    "POST", "/v1/session/otp?code=123456",
                    #"{"identifier":{"type":"email_address","value":"a@example.com"}}"#
                )
            ],
            fields: [.userAgent: "agent\u{7F}secret"])
        let line = try #require(lines.first)
        #expect(lines.count == 1)
        #expect(
            Set(line.keys) == ["level", "request_id", "app", "route", "method", "status", "address", "ms"])
        #expect(line["route"] == "/v1/session/otp" && line["method"] == "POST" && line["status"] == "204")
        #expect(line["app"] == "testapp" && line["address"] == "203.0.113.9" && line["level"] == "info")
        #expect(line["request_id"]?.hasPrefix("req_") == true)
        #expect(!"\(line)".contains("123456") && !"\(line)".contains("example.com") && !"\(line)".contains("secret"))
        #expect(observed.map(\.route) == ["/v1/session/otp"] && observed.map(\.status) == [204])
        #expect(observed.map(\.app) == [AppID("testapp")] && observed.map(\.reason) == [nil])
    }

    // Proves: A8
    @Test("A refusal has its code and the reason that the caller does not learn")
    func reasons() async throws {
        let world = try await world()
        let password = #"{"identifier":"a@example.com","password":"wrong"}"#
        let (lines, observed) = try await lines(
            world,
            [
                ("POST", "/v1/session/login/email/password", password),
                ("POST", "/v1/session/otp", "{}"),
                ("POST", "/v1/session/otp/check", #"{"code":"123456"}"#),
                ("GET", "/v2/session/apps/testapp/users/usr_1", ""),
                ("GET", "/secret/path", ""), ("BREW", "/v1/session/otp", ""), ("GET", "/health", ""),
            ])
        #expect(lines.map { $0["status"] } == ["401", "400", "400", "401", "404", "404", "200"])
        #expect(lines[0]["code"] == "unauthorized" && lines[0]["reason"] == "unknown_user")
        #expect(observed.map { $0.reason?.name } == lines.map { $0["reason"] })
        #expect(observed.map { $0.app?.rawValue } == lines.map { $0["app"] })
        #expect(lines[1]["code"] == "bad_request" && lines[1]["reason"] == "invalid_field")
        #expect(
            lines[3]["route"] == "/v2/session/apps/{app_id}/users/{user_id}" && lines[3]["reason"] == "unauthorized")
        #expect(lines[4]["route"] == "unmatched" && lines[4]["code"] == "not_found")
        #expect(lines[5]["method"] == "other")
        #expect(lines.map { $0["level"] } == ["info", "info", "info", "info", "info", "info", "debug"])
        #expect(!"\(lines)".contains("usr_1") && !"\(lines)".contains("secret"))
    }

    // Proves: A8
    @Test("Limits and rejected proofs are named", arguments: [true, false])
    func named(isLimit: Bool) async throws {
        let body = #"{"identifier":{"type":"email_address","value":"a@example.com"}}"#
        let world = try await ServiceWorld(
            clock: TestService.Clock(), origin: "https://localhost",
            edge: EdgeOptions(trustedProxies: [], countryHeader: nil)
        ) { $0.otpLimits.startsPerAddress = RateLimit(limit: 1, window: 60) }
        if isLimit {
            let call = ("POST", "/v1/session/otp", body)
            let (lines, _) = try await lines(world, [call, call])
            #expect(lines.last?["reason"] == "limit_starts_of_address" && lines.last?["code"] == "rate_limited")
        } else {
            let name = try #require(HTTPField.Name("DPoP"))
            let call = ("POST", "/v1/session/refresh", "")
            let (lines, _) = try await lines(world, [call], fields: [name: "no.proof.here"])
            #expect(lines.last?["reason"] == "proof_malformed")
            let without = try await self.lines(world, [call])
            #expect(without.lines.last?["reason"] == "refresh_token_invalid")
        }
    }

    // Proves: G7
    @Test("Metrics and the log level need a key for all apps", arguments: ["/metrics", "/v2/session/log-level"])
    func controls(path: String) async throws {
        let world = try await world()
        let (own, all) = (
            try await world.service.managementKeys.create(
                name: "app", app: world.appID, role: .write, expiresAt: nil, by: nil
            ).secret,
            try await world.service.managementKeys.create(
                name: "all", app: nil, role: .read, expiresAt: nil, by: nil
            ).secret
        )
        for (key, status) in [(nil, 401), ("psk_wrong", 401), (own, 401), (all, 200)] as [(String?, Int)] {
            let fields: HTTPFields = key.map { [.authorization: "Bearer \($0)"] } ?? [:]
            let (_, observed) = try await lines(world, [("GET", path, "")], fields: fields)
            #expect(observed.map(\.status) == [status], "\(key ?? "no key")")
        }
    }
}
