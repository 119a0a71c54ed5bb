import Foundation
import SessionDomain
import Synchronization
import Testing
import Tracing

@testable import SessionTelemetry

@Suite("The export of spans")
struct SpanExporterTests {
    /// A collector, a clock and an observer.
    private final class Surroundings: ServiceObserver {
        let answers = Mutex<[SpanExporter.Answer]>([])
        let uptime = Mutex<Int64>(0)
        /// Milliseconds until an answer.
        let latency = Mutex<Int64>(1000)
        private let batches = Mutex<[Int]>([])
        private let seen = Mutex<(exported: Int, dropped: Int, notices: [ServiceNotice])>((0, 0, []))

        var sizes: [Int] { batches.withLock { $0 } }
        var exported: Int { seen.withLock { $0.exported } }
        var dropped: Int { seen.withLock { $0.dropped } }
        var notices: [ServiceNotice] { seen.withLock { $0.notices } }

        func observe(_ occurrence: Occurrence) {
            seen.withLock { seen in
                switch occurrence {
                case .spansExported(let count): seen.exported += count
                case .spansDropped(let count): seen.dropped += count
                case .notice(let notice): seen.notices.append(notice)
                default: break
                }
            }
        }

        /// The next answer, or that the spans are taken.
        func take(_ body: Data) -> SpanExporter.Answer {
            let count = String(decoding: body, as: UTF8.self).components(separatedBy: "traceId").count - 1
            batches.withLock { $0.append(count) }
            let latency = latency.withLock { $0 }
            uptime.withLock { $0 += latency }
            return answers.withLock { $0.isEmpty ? .taken : $0.removeFirst() }
        }
    }

    private let around = Surroundings()
    private let world = TraceWorld(capacity: 2000)

    private var exporter: SpanExporter {
        let around = around
        var environment = ServiceEnvironment(
            now: { Timestamp(milliseconds: 0) }, uptime: { around.uptime.withLock { $0 } },
            randomBytes: { Array(repeating: 0, count: $0) }, sleep: { _ in })
        environment.observer = around
        return SpanExporter(
            queue: world.queue, body: OTLPBody(version: "1", instance: "n"), environment: environment,
            send: { around.take($0) })
    }

    private func add(_ count: Int) {
        let identity = TraceParent(
            traceID: TraceID(high: 1, low: 1), spanID: SpanID(value: 1), isSampled: true)
        for _ in 0..<count {
            world.queue.add(
                FinishedSpan(
                    identity: identity, parentID: nil, hasRemoteParent: false, name: "a", kind: .internal,
                    startedAt: 1, endedAt: 2, attributes: [:], hasFailed: false))
        }
    }

    @Test("All waiting spans are sent, in batches; without spans nothing is sent")
    func batches() async {
        let exporter = exporter
        await exporter.round()
        #expect(around.sizes.isEmpty)
        add(1100)
        await exporter.round()
        #expect(around.sizes == [512, 512, 76] && around.exported == 1100)
        #expect(around.notices.isEmpty)
    }

    @Test("A batch that fails is sent again in the next round, and is lost after the last attempt")
    func retries() async {
        let exporter = exporter
        add(3)
        around.answers.withLock { $0 = [.failed("down")] }
        await exporter.round()
        await exporter.round()
        #expect(around.sizes == [3, 3] && around.exported == 3 && around.dropped == 0)
        add(4)
        around.answers.withLock { $0 = Array(repeating: .failed("down"), count: SpanExporter.attempts) }
        for _ in 0..<SpanExporter.attempts { await exporter.round() }
        #expect(around.exported == 3 && around.dropped == 4)
        #expect(around.notices == [.spansDropped(count: 4, reason: "down")])
    }

    @Test("A rejected batch is lost at once, and the next one is sent")
    func rejected() async {
        add(600)
        around.answers.withLock { $0 = [.rejected("the collector answered 400")] }
        await exporter.round()
        #expect(around.sizes == [512, 88] && around.exported == 88 && around.dropped == 512)
    }

    @Test("A full queue drops new spans, and there is one notice per minute with their number")
    func fullQueue() async {
        let exporter = exporter
        for _ in 0..<3 {
            add(2010)
            await exporter.round()
        }
        #expect(around.dropped == 30)
        #expect(around.notices == [.spansDropped(count: 10, reason: "more spans than the collector takes")])
        around.uptime.withLock { $0 += SpanExporter.noticeInterval }
        await exporter.round()
        #expect(around.notices.last == .spansDropped(count: 20, reason: "more spans than the collector takes"))
    }

    @Test("The end of the process sends what waits, for a few seconds")
    func finish() async {
        let exporter = exporter
        add(2000)
        await exporter.finish()
        #expect(around.exported == 2000 && around.notices.isEmpty)
        add(5)
        around.answers.withLock { $0 = [.failed("down")] }
        await exporter.finish()
        #expect(around.dropped == 5 && around.notices.count == 1)
    }

    @Test("A slow collector does not hold up the end of the process")
    func slowFinish() async {
        add(2000)
        around.latency.withLock { $0 = 3000 }
        await exporter.finish()
        #expect(around.sizes == [512, 512] && around.exported == 1024 && around.dropped == 976)
        #expect(around.notices == [.spansDropped(count: 976, reason: "the process ended")])
    }

    @Test(
        "Statuses that OTLP calls retryable are retried", arguments: [(200, 0), (429, 1), (503, 1), (400, 2), (500, 2)])
    func statuses(_ status: Int, _ kind: Int) {
        let answer = SpanExporter.Answer(status: status, body: Data())
        switch answer {
        case .taken: #expect(kind == 0)
        case .failed(let reason): #expect(kind == 1 && reason.contains("\(status)"))
        case .rejected(let reason): #expect(kind == 2 && reason.contains("\(status)"))
        case .partlyTaken: Issue.record("the status says nothing about a part")
        }
    }

    @Test(
        "Spans that the collector rejects from a batch that it takes are lost (OTLP specification, Partial Success)",
        arguments: [
            (#"{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}"#, 2),
            (#"{"partialSuccess":{"rejectedSpans":2,"errorMessage":"too old"}}"#, 2),
            (#"{"partialSuccess":{"rejectedSpans":"99","errorMessage":"too old"}}"#, 5),
            (#"{"partialSuccess":{"rejectedSpans":"0","errorMessage":"a warning"}}"#, 0),
            (#"{"partialSuccess":{"rejectedSpans":"-1"}}"#, 0), (#"{"partialSuccess":{}}"#, 0), ("{}", 0), ("", 0),
            ("no JSON", 0),
        ])
    func partialSuccess(_ body: String, _ rejected: Int) async {
        add(5)
        around.answers.withLock { $0 = [SpanExporter.Answer(status: 200, body: Data(body.utf8))] }
        await exporter.round()
        #expect(around.sizes == [5] && around.exported == 5 - rejected && around.dropped == rejected)
        let reason = "the collector rejected them: too old"
        #expect(around.notices == (rejected > 0 ? [.spansDropped(count: rejected, reason: reason)] : []))
    }

    @Test("What is lost while the collector fails has the failure as the reason")
    func reasonOfAnOutage() async {
        let exporter = exporter
        add(2010)
        around.answers.withLock { $0 = [.failed("down"), .failed("down")] }
        await exporter.round()
        #expect(around.notices == [.spansDropped(count: 10, reason: "down")])
        await exporter.finish()
        #expect(around.notices.last == .spansDropped(count: 2000, reason: "down"))
    }
}
