import Logging
import NIOCore
import NIOEmbedded
import SessionDomain
import Synchronization
import Testing

@testable import SessionHTTP

@Suite("The line of a request that its connection answers")
struct ConnectionAccessLogTests {
    /// Keeps lines and what is observed.
    private final class Recorded: ServiceObserver {
        private let kept = Mutex((lines: [[String: String]](), requests: [ServedRequest](), reasons: [String]()))

        var lines: [[String: String]] { kept.withLock(\.lines) }
        var requests: [ServedRequest] { kept.withLock(\.requests) }
        var reasons: [String] { kept.withLock(\.reasons) }

        func add(_ line: [String: String]) { kept.withLock { $0.lines.append(line) } }

        func instant() -> UInt64 { 0 }

        func observe(_ occurrence: Occurrence) {
            switch occurrence {
            case .request(let request): kept.withLock { $0.requests.append(request) }
            case .refused(let reason): kept.withLock { $0.reasons.append(reason.name) }
            default: break
            }
        }
    }

    private struct Handler: LogHandler {
        let recorded: Recorded
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.debug

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            var line = (event.metadata ?? [:]).mapValues { "\($0)" }
            line["level"] = event.level.rawValue
            line["message"] = "\(event.message)"
            recorded.add(line)
        }
    }

    /// Connections that share one log.
    private struct World {
        let loop = EmbeddedEventLoop()
        let recorded = Recorded()
        let environment: ConnectionHandler.Environment

        init(_ limits: ConnectionLimits = ConnectionLimits(), requests: Int = .max, isReady: Bool = true) throws {
            let logger = Logger(label: "test") { [recorded] _ in Handler(recorded: recorded) }
            let time = Timestamp(seconds: 1_800_000_000)
            var service = ServiceEnvironment(
                now: { time }, randomBytes: { [UInt8](repeating: 0, count: $0) }, sleep: { _ in })
            service.observer = recorded
            let limitLog = LimitLog(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, observer: recorded)
            let store = StoreHealth()
            store.committed()
            let monitor = HealthMonitor(store: store, probes: HealthProbes(write: {}), environment: service)
            if !isReady { monitor.drain() }
            environment = ConnectionHandler.Environment(
                limits: limits, connections: OpenConnections(limits: limits, log: limitLog), log: limitLog,
                service: service, work: RequestsInWork(limit: requests),
                health: HealthEndpoint(monitor: monitor, showsReasons: false),
                accessLog: ConnectionAccessLog(
                    logger: logger, observer: recorded,
                    edge: EdgeOptions(trustedProxies: [try #require(IPNetwork("10.0.0.0/8"))])))
        }

        func connect(from address: String = "203.0.113.9") throws -> TestConnection {
            let connection = try TestConnection(loop: loop, environment)
            connection.channel.remoteAddress = try SocketAddress(ipAddress: address, port: 1)
            loop.run()
            return connection
        }
    }

    private static let twoHosts = "POST /v1/session/refresh?token=secret HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"
    private static let list = "GET /v2/session/apps HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test("It has the id of the response, status, code, reason and address, and no text of the caller")
    func members() throws {
        let world = try World()
        let connection = try world.connect()
        try connection.send(Self.twoHosts)
        let text = try connection.received()
        let line = try #require(world.recorded.lines.first)
        let id = try #require(line["request_id"])
        #expect(id.hasPrefix("req_") && text.contains("X-Request-Id: \(id)\r\n"))
        #expect(
            line == [
                "message": "request", "level": "info", "request_id": id, "route": "unmatched", "method": "POST",
                "status": "400", "code": "bad_request", "reason": "invalid_request", "address": "203.0.113.9",
                "ms": "0.0",
            ])
        #expect(world.recorded.lines.count == 1 && world.recorded.reasons == ["invalid_request"])
        #expect(world.recorded.requests.map(\.route) == ["unmatched"])
    }

    @Test("Bytes that are no request, and headers that are too large, have lines and error bodies with an id")
    func invalidBytes() throws {
        let large = "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 100_000))\r\n\r\n"
        for (bytes, status, reason) in [
            ("\u{1}\u{2}\r\n\r\n", "400", "invalid_request"), (large, "431", "headers_too_large"),
        ] {
            let world = try World()
            let connection = try world.connect()
            try? connection.send(bytes)
            let text = try connection.received()
            #expect(text.hasPrefix("HTTP/1.1 \(status) ") && text.contains("\"code\":\"bad_request\""))
            #expect(world.recorded.lines.map { $0["reason"] } == [reason])
            #expect(world.recorded.lines.map { $0["method"] } == ["other"] && world.recorded.reasons == [reason])
        }
    }

    @Test("A client that leaves in the middle of a request has no line and counts as no request")
    func left() throws {
        for part in ["POST /v1/se", "POST /v1 HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{"] {
            let world = try World()
            let connection = try world.connect()
            try connection.send(part)
            connection.close()
            #expect(try connection.received().isEmpty)
            #expect(world.recorded.lines.isEmpty && world.recorded.requests.isEmpty && world.recorded.reasons.isEmpty)
        }
    }

    @Test("A slow client and a shed request have lines; an idle connection has none")
    func limits() throws {
        let world = try World(requests: 1)
        let (idle, slow) = (try world.connect(), try world.connect())
        try slow.send("GET /v1 HTTP/1.1\r\nHost: a\r\n")
        world.loop.advanceTime(by: .seconds(120))
        #expect(!idle.isOpen && !slow.isOpen)
        #expect(world.recorded.lines.map { $0["reason"] } == ["too_slow"])
        #expect(world.recorded.lines.map { $0["level"] } == ["info"])
        let (first, second) = (try world.connect(), try world.connect(from: "10.0.0.1"))
        try first.send(Self.list)
        try second.send(Self.list.replacing("Host: a", with: "Host: a\r\nX-Forwarded-For: 198.51.100.7, 10.0.0.2"))
        let line = try #require(world.recorded.lines.last)
        #expect(line["status"] == "503" && line["reason"] == "too_many_requests" && line["level"] == "error")
        #expect(line["method"] == "GET" && line["address"] == "198.51.100.7")
        #expect(world.recorded.reasons == ["too_slow", "too_many_requests"])
    }

    @Test("A health check has its route, and the level debug", arguments: [true, false])
    func health(isReady: Bool) throws {
        let world = try World(isReady: isReady)
        let connection = try world.connect()
        for path in ["/livez", "/readyz", "/health?x=secret"] {
            try connection.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
        }
        let lines = world.recorded.lines
        #expect(lines.map { $0["route"] } == ["/livez", "/readyz", "/health"])
        #expect(lines.map { $0["status"] } == (isReady ? ["200", "200", "200"] : ["200", "503", "503"]))
        #expect(lines.allSatisfy { $0["level"] == "debug" })
        #expect(world.recorded.reasons == (isReady ? [] : ["not_ready"]))
        #expect(world.recorded.requests.count == 3)
    }

    @Test("A flood has a bounded number of lines and one with the number of those that are missing; metrics have all")
    func flood() throws {
        let world = try World()
        let count = ConnectionAccessLog.maximumLines + 50
        for _ in 0..<count { try world.connect().send(Self.twoHosts) }
        #expect(world.recorded.lines.count == ConnectionAccessLog.maximumLines)
        #expect(world.recorded.requests.count == count && world.recorded.reasons.count == count)
        world.loop.advanceTime(by: ConnectionAccessLog.interval)
        let last = try #require(world.recorded.lines.last)
        #expect(last["count"] == "50" && last["level"] == "warning")
        try world.connect().send(Self.twoHosts)
        #expect(world.recorded.lines.count == ConnectionAccessLog.maximumLines + 2)
        // Without missing lines there is no report.
        world.loop.advanceTime(by: ConnectionAccessLog.interval)
        #expect(world.recorded.lines.count == ConnectionAccessLog.maximumLines + 2)
    }
}
