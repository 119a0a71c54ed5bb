import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import PreludeSessionTesting
import SessionDomain
import Synchronization
import Testing

@testable import SessionHTTP

@Suite("The span of each request")
struct TraceMiddlewareTests {
    /// An observer whose spans keep their details.
    private final class Spans: ServiceObserver, WorkTracer, WorkSpan {
        private let kept = Mutex<[String]>([])

        var details: [String] { kept.withLock { $0 } }
        var tracer: (any WorkTracer)? { self }
        var traceID: String? { "4bf92f3577b34da6a3ce929d0e0e4736" }
        var traceparent: String { "" }

        func observe(_ occurrence: Occurrence) {}
        func discard() { kept.withLock { $0.append("discard") } }

        func note(_ detail: WorkDetail) {
            if case .requestID = detail { return }
            kept.withLock { $0.append("\(detail)") }
        }

        func trace<Value, Failure: Error>(
            _ work: TracedWork, isolation: isolated (any Actor)?,
            _ body: nonisolated(nonsending) ((any WorkSpan)?) async throws(Failure) -> Value
        ) async throws(Failure) -> Value {
            if case .request(let traceparents, let isTrusted) = work {
                kept.withLock { $0.append("request \(traceparents) \(isTrusted)") }
            }
            return try await body(self)
        }
    }

    private func details(
        _ path: String, _ method: HTTPRequest.Method = .post, traceparents: [String] = [], peer: String = "203.0.113.9",
        follows: Bool = true
    ) async throws -> [String] {
        let proxies = ["10.0.0.0/8"].compactMap { IPNetwork($0) }
        let edge = EdgeOptions(trustedProxies: proxies, followsProxyTraces: follows)
        let world = try await ServiceWorld(
            clock: TestService.Clock(), origin: "https://localhost", edge: edge, environment: { _ in },
            configure: { _ in })
        let spans = Spans()
        let node = world.node { $0.observer = spans }
        let responder = buildRouter(service: node.service, edge: edge).buildResponder()
        var headers = HTTPFields()
        let name = try #require(HTTPField.Name("traceparent"))
        for value in traceparents { headers.append(HTTPField(name: name, value: value)) }
        _ = try await responder.respond(
            to: Request(
                head: HTTPRequest(
                    method: method, scheme: "https", authority: "localhost", path: path, headerFields: headers),
                body: RequestBody(buffer: ByteBuffer())),
            context: ServiceRequestContext(logger: Logger(label: "test"), peerAddress: peer))
        return spans.details
    }

    @Test("A span has route, app, status and code, and no path or query")
    func details() async throws {
        let details = try await details("/v1/session/refresh?token=secret")
        #expect(details.first == "request [] false" && details.count == 3)
        #expect(details[1].hasPrefix("app("))
        #expect(details[2].hasPrefix(#"answered(method: "POST", route: "/v1/session/refresh", status: 4"#))
        let unmatched = try await self.details("/v1/secret")
        #expect(unmatched.last?.contains(#"route: "unmatched", status: 404"#) == true)
    }

    @Test("Health checks have no span")
    func health() async throws {
        #expect(try await details("/livez", .get) == ["request [] false", "discard"])
    }

    @Test(
        "The decision of a caller counts only if a trusted proxy sends it and the operator has allowed it",
        arguments: [("203.0.113.9", true, false), ("10.1.1.1", true, true), ("10.1.1.1", false, false)])
    func trust(_ peer: String, _ follows: Bool, _ isTrusted: Bool) async throws {
        let details = try await details("/v1/x", traceparents: ["a", "b"], peer: peer, follows: follows)
        #expect(details.first == #"request ["a", "b"] \#(isTrusted)"#)
    }
}
