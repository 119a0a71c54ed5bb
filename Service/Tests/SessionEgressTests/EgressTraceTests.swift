import Foundation
import NIOHTTP1
import SessionDomain
import SessionEgress
import Synchronization
import Testing

@Suite("Traces of calls to other servers", .timeLimit(.minutes(5)))
struct EgressTraceTests {
    /// An observer whose spans keep their details.
    private final class Spans: ServiceObserver, WorkTracer, WorkSpan {
        private let kept = Mutex<[String]>([])

        var details: [String] { kept.withLock { $0 } }
        var tracer: (any WorkTracer)? { self }
        var traceID: String? { nil }
        var traceparent: String { "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" }

        func observe(_ occurrence: Occurrence) {}
        func discard() {}
        func note(_ detail: WorkDetail) { kept.withLock { $0.append("\(detail)") } }

        func trace<Value, Failure: Error>(
            _ work: TracedWork, isolation: isolated (any Actor)?,
            _ body: nonisolated(nonsending) ((any WorkSpan)?) async throws(Failure) -> Value
        ) async throws(Failure) -> Value {
            kept.withLock { $0.append("\(work)") }
            return try await body(self)
        }
    }

    private func send(_ request: EgressRequest, observer: any ServiceObserver) async throws -> EgressAnswer {
        let client = try EgressClient(policy: .tests(), observer: observer)
        let answer = await Result { try await client.send(request) }
        await client.shutdown()
        return try answer.get()
    }

    @Test("The receiver gets traceparent, except for key sets, and the span has no path and no query")
    func header() async throws {
        let spans = Spans()
        try await withServer(.answer(.ok)) { server in
            var request = EgressRequest(.get, "http://127.0.0.1:\(server.port)/secret?token=secret", timeout: 60)
            _ = try await send(request, observer: spans)
            request.continuesTrace = false
            _ = try await send(request, observer: spans)
            #expect(server.requests.map { $0.head.headers["traceparent"] } == [[spans.traceparent], []])
        }
        let details = [#"egress(method: "GET")"#, #"host("127.0.0.1")"#, "status(200)"]
        #expect(spans.details == details + details)
    }

    @Test("A call without an answer has its result in the span")
    func failure() async throws {
        let spans = Spans()
        await #expect(throws: EgressError.self) {
            try await send(EgressRequest(.get, "https://[::1]/"), observer: spans)
        }
        #expect(spans.details.last == #"failed("refused_address")"#)
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ work: () async throws -> Success) async {
        do { self = .success(try await work()) } catch { self = .failure(error) }
    }
}
