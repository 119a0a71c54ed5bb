import SessionDomain
import Testing
import Tracing

@testable import SessionTelemetry

@Suite("Spans of the service's work")
struct WorkSpansTests {
    private struct Broken: Error {}

    @Test("Work inside other work is its child, also in child tasks")
    func children() async throws {
        let world = TraceWorld()
        await world.spans.trace(TraceWorld.request(sampled: true, isTrusted: false), isolation: nil) { _ in
            await withTaskGroup { group in group.addTask { await world.trace(.passwordHash) } }
            await world.trace(.commit)
        }
        let spans = world.queue.take(.max)
        #expect(spans.map(\.name) == ["password hash", "commit", "request"])
        #expect(spans.allSatisfy { $0.identity.traceID.description == TraceWorld.callersTrace })
        let request = try #require(spans.last)
        #expect(request.parentID?.description == "00f067aa0ba902b7" && request.hasRemoteParent)
        #expect(spans.dropLast().allSatisfy { $0.parentID == request.identity.spanID && !$0.hasRemoteParent })
        #expect(Set(spans.map(\.identity.spanID)).count == 3)
        #expect(spans.allSatisfy { $0.startedAt < $0.endedAt })
    }

    @Test("Writes and hashes outside of a trace have no span, so that looks into an outbox make no traces")
    func roots() async {
        let world = TraceWorld()
        for work in [TracedWork.commit, .passwordHash, .messageAttempt(.email, route: "smtp")] {
            await world.trace(work)
        }
        #expect(world.queue.take(.max).isEmpty)
        let request = TracedWork.request(traceparents: [], isTrusted: true)
        for work in [TracedWork.delivery(.messages), .egress(method: "GET"), request] { await world.trace(work) }
        let spans = world.queue.take(.max)
        #expect(spans.map(\.name) == ["deliver messages", "GET", "request"])
        #expect(spans.allSatisfy { $0.parentID == nil } && Set(spans.map(\.identity.traceID)).count == 3)
    }

    @Test(
        "A trusted proxy decides whether a trace is recorded; for other callers the ratio decides",
        arguments: [
            (true, true, 0.0, true), (false, true, 1.0, false), (true, false, 0.0, false), (false, false, 1.0, true),
        ])
    func sampling(_ sampled: Bool, _ isTrusted: Bool, _ ratio: Double, _ isRecorded: Bool) async {
        let world = TraceWorld(ratio: ratio)
        let work = TraceWorld.request(sampled: sampled, isTrusted: isTrusted)
        await world.spans.trace(work, isolation: nil) { span in
            #expect(span?.traceID == TraceWorld.callersTrace)
            #expect(span?.traceparent.hasSuffix(isRecorded ? "-01" : "-00") == true)
            await world.trace(.commit)
            await world.trace(.egress(method: "POST"))
        }
        #expect(world.queue.take(.max).count == (isRecorded ? 3 : 0))
    }

    @Test("The ratio compares a random number, and not the id that the caller chooses")
    func ratio() async {
        for (draw, isRecorded) in [(UInt8(0x3F), true), (0x40, false), (0xFF, false)] {
            let world = TraceWorld(ratio: 0.25, draw: draw)
            await world.trace(TraceWorld.request(sampled: true, isTrusted: false))
            #expect(world.queue.take(.max).isEmpty != isRecorded, "\(draw)")
        }
    }

    @Test("A trace that is not recorded and that no caller has begun has no id for the log")
    func silentTrace() async {
        let world = TraceWorld(ratio: 0)
        await world.spans.trace(.request(traceparents: ["invalid"], isTrusted: true), isolation: nil) { span in
            #expect(span != nil && span?.traceID == nil)
        }
    }

    @Test("A request has the name of its route, and is an error from 500 on", arguments: [200, 401, 503])
    func answered(_ status: Int) async throws {
        let world = TraceWorld()
        await world.spans.trace(.request(traceparents: [], isTrusted: false), isolation: nil) { span in
            span?.note(.requestID("req_1"))
            span?.note(.answered(method: "POST", route: "/v1/a/{id}", status: status, code: "busy"))
        }
        let span = try #require(world.queue.take(.max).first)
        #expect(span.name == "POST /v1/a/{id}" && span.kind == .server && span.hasFailed == (status >= 500))
        #expect(span.attributes.get("http.route") == "/v1/a/{id}")
        #expect(span.attributes.get("http.response.status_code") == .int64(Int64(status)))
        #expect(span.attributes.get("prelude_session.request_id") == "req_1")
    }

    @Test("An error is shown by its type or name, and rethrown; a refusal is no failure")
    func errors() async throws {
        let world = TraceWorld()
        let work = TracedWork.egress(method: "GET")
        await #expect(throws: Broken.self) {
            try await world.spans.trace(work, isolation: nil) { _ in throw Broken() }
        }
        await #expect(throws: EgressError.self) {
            try await world.spans.trace(work, isolation: nil) { _ in throw EgressError.cannotResolve("secret") }
        }
        await #expect(throws: Refusal.self) {
            try await world.spans.trace(work, isolation: nil) { _ in throw Refusal.badCode }
        }
        let spans = world.queue.take(.max)
        #expect(spans.map { $0.attributes.get("error.type") } == ["Broken", "cannot_resolve", "wrong_code"])
        #expect(spans.map(\.hasFailed) == [true, true, false])
    }

    @Test("A discarded span is not exported")
    func discarded() async {
        let world = TraceWorld()
        await world.spans.trace(.request(traceparents: [], isTrusted: false), isolation: nil) { $0?.discard() }
        #expect(world.queue.take(.max).isEmpty)
    }

    @Test("A span does not end before its start when the clock goes back")
    func clock() throws {
        let queue = SpanQueue()
        let sampling = TraceSampling(ratio: 1) { Array(repeating: 0, count: $0) }
        let tracer = ServiceTracer(sampling: sampling, queue: queue) { Array(repeating: 1, count: $0) }
        let span = tracer.startSpan("a", at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: 500))
        span.end(at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: 400))
        span.end(at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: 900))
        let finished = queue.take(.max)
        #expect(finished.map(\.endedAt) == [500])
    }
}
