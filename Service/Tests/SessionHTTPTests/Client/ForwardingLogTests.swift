import HTTPTypes
import Hummingbird
import Logging
import SessionDomain
import Synchronization
import Testing

@testable import SessionHTTP

@Suite("Proxies that hide their clients")
struct ForwardingLogTests {
    /// Keeps the address and the header of each line.
    private final class Lines: Sendable {
        private let kept = Mutex<[String]>([])
        var all: [String] { kept.withLock { $0 } }
        func add(_ line: String) { kept.withLock { $0.append(line) } }
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
            lines.add("\(event.level) \(value("header")) \(value("address"))")
        }
    }

    private func send(
        _ header: HTTPField.Name?, from peer: String, log: ForwardingLog, lines: Lines, trusted: [String] = ["10.0.0.1"]
    ) {
        var headers = HTTPFields()
        if let header { headers[header] = "198.51.100.1" }
        let options = EdgeOptions(trustedProxies: trusted.compactMap { IPNetwork($0) })
        let logger = Logger(label: "test") { _ in Handler(lines: lines) }
        let request = Request(
            head: HTTPRequest(method: .get, scheme: "https", authority: "a", path: "/", headerFields: headers),
            body: RequestBody(buffer: ByteBuffer()))
        ForwardingCheck(options: options, log: log, environment: .live)
            .check(request, ServiceRequestContext(logger: logger, peerAddress: peer))
    }

    // Proves: N9
    @Test(
        "The first such request is logged with its address, and no other one", arguments: ForwardingCheck.headers)
    func once(header: HTTPField.Name) {
        let (log, lines) = (ForwardingLog(), Lines())
        send(header, from: "203.0.113.9", log: log, lines: lines)
        for name in ForwardingCheck.headers { send(name, from: "203.0.113.8", log: log, lines: lines) }
        #expect(lines.all == ["warning \(header.rawName) 203.0.113.9"])
    }

    @Test("Requests of a trusted proxy, and requests without such a header, are not logged")
    func silent() {
        let (log, lines) = (ForwardingLog(), Lines())
        for header in ForwardingCheck.headers {
            send(header, from: "10.0.0.1", log: log, lines: lines)
        }
        send(nil, from: "203.0.113.9", log: log, lines: lines)
        #expect(lines.all.isEmpty)
    }

    private final class Notices: ServiceObserver {
        private let kept = Mutex<[ServiceNotice]>([])
        var all: [ServiceNotice] { kept.withLock { $0 } }
        func instant() -> UInt64 { 0 }
        func observe(_ occurrence: Occurrence) {
            if case .notice(let notice) = occurrence { kept.withLock { $0.append(notice) } }
        }
    }

    /// The notices about requests of `peer` with `X-Forwarded-For`, at these milliseconds.
    private func notices(
        _ value: String?, path: String = "/v1/session/otp", from peer: String = "10.0.0.1", at times: [Int64] = [0],
        exemptsLoopback: Bool = false, others: HTTPFields = [:], log: ForwardingLog = ForwardingLog()
    ) throws -> [ServiceNotice] {
        let notices = Notices()
        let networks = try ["10.0.0.0/8", "127.0.0.1"].map { try #require(IPNetwork($0)) }
        var environment = ServiceEnvironment.live
        environment.observer = notices
        var headers = others
        if let value { headers[.forwardedFor] = value }
        let request = Request(
            head: HTTPRequest(method: .post, scheme: "https", authority: "a", path: path, headerFields: headers),
            body: RequestBody(buffer: ByteBuffer()))
        for now in times {
            environment.uptime = { now }
            ForwardingCheck(
                options: EdgeOptions(trustedProxies: networks, exemptsLoopback: exemptsLoopback), log: log,
                environment: environment
            )
            .check(request, ServiceRequestContext(logger: Logger(label: "test"), peerAddress: peer))
        }
        return notices.all
    }

    // Proves: N11
    @Test(
        "A trusted proxy that names no client is reported with its address",
        arguments: [nil, "unknown", "", "10.0.0.9", "198.51.100.1, _hidden"])
    func missingClient(value: String?) throws {
        #expect(try notices(value) == [.clientAddressMissing(Self.hidden)])
    }

    private static let hidden = HiddenClients(proxy: "10.0.0.1", header: "X-Forwarded-For")

    // Proves: N11
    @Test("A client cannot keep the notice away by a header that is not configured")
    func otherHeaders() throws {
        let others: HTTPFields = [.forwarded: "for=198.51.100.1"]
        #expect(try notices(nil, others: others) == [.clientAddressMissing(Self.hidden)])
    }

    @Test("Health checks show the proxy for an hour after the last such request")
    func finding() throws {
        let log = ForwardingLog()
        #expect(log.hiddenClients(at: 0) == nil)
        _ = try notices("203.0.113.7", log: log)
        #expect(log.hiddenClients(at: 0) == nil)
        _ = try notices(nil, at: [5, 6], log: log)
        #expect(log.hiddenClients(at: 3_600_005) == Self.hidden)
        #expect(log.hiddenClients(at: 3_600_006) == nil)
    }

    @Test("A trusted proxy that names no client is reported once per minute")
    func oncePerMinute() throws {
        #expect(try notices(nil, at: [5, 6, 60_004, 60_005, 60_006, 120_004, 120_005]).count == 3)
    }

    @Test(
        "Requests with a client, of other APIs, of other addresses, and of a developer's own machine are not reported")
    func noMissingClient() throws {
        #expect(try notices("203.0.113.7").isEmpty)
        #expect(try notices(nil, path: "/v2/session/apps").isEmpty)
        #expect(try notices(nil, path: "/readyz").isEmpty)
        #expect(try notices(nil, from: "203.0.113.9").isEmpty)
        #expect(try notices(nil, from: "127.0.0.1", exemptsLoopback: true).isEmpty)
        #expect(try notices(nil, from: "127.0.0.1").count == 1)
    }
}
