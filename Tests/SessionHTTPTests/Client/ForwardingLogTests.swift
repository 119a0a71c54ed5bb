import HTTPTypes
import Hummingbird
import Logging
import SessionDomain
import Synchronization
import Testing

@testable import SessionHTTP

@Suite("Forwarding headers of untrusted addresses")
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
        UntrustedForwarding(options: options, log: log)
            .check(request, ServiceRequestContext(logger: logger, peerAddress: peer))
    }

    @Test(
        "The first such request is logged with its address, and no other one", arguments: UntrustedForwarding.headers)
    func once(header: HTTPField.Name) {
        let (log, lines) = (ForwardingLog(), Lines())
        send(header, from: "203.0.113.9", log: log, lines: lines)
        for name in UntrustedForwarding.headers { send(name, from: "203.0.113.8", log: log, lines: lines) }
        #expect(lines.all == ["warning \(header.rawName) 203.0.113.9"])
    }

    @Test("Requests of a trusted proxy, and requests without such a header, are not logged")
    func silent() {
        let (log, lines) = (ForwardingLog(), Lines())
        for header in UntrustedForwarding.headers {
            send(header, from: "10.0.0.1", log: log, lines: lines)
        }
        send(nil, from: "203.0.113.9", log: log, lines: lines)
        #expect(lines.all.isEmpty)
    }
}
