import Foundation
import ServiceLifecycle
import SessionDomain
import SessionEgress
import SessionTelemetry

/// Makes spans and sends them to the configured collector.
struct TraceExport: Service, CustomStringConvertible {
    let tracer: any WorkTracer
    private let exporter: SpanExporter
    private let client: EgressClient

    /// Seconds for a request to the collector.
    private static let timeout = 3

    /// - Parameters:
    ///   - version: The version of the service, for `service.version`.
    ///   - observer: Receives how many spans were exported, and lost.
    init(
        _ settings: ServiceConfiguration.TraceSettings, client: EgressClient, version: String,
        observer: any ServiceObserver
    ) {
        var environment = ServiceEnvironment.live
        environment.observer = observer
        let queue = SpanQueue()
        tracer = WorkSpans(
            tracer: ServiceTracer(
                sampling: TraceSampling(ratio: settings.ratio, random: environment.randomBytes), queue: queue,
                random: environment.randomBytes))
        self.client = client
        exporter = SpanExporter(
            queue: queue,
            body: OTLPBody(
                service: settings.variables.serviceName ?? OTLPBody.scope, version: version,
                instance: environment.newID("node"), attributes: settings.variables.attributes),
            environment: environment,
            send: { await Self.send($0, to: settings, by: client) })
    }

    var description: String { "TraceExport" }

    /// Exports until the shutdown. The last spans follow in `finish`, because the listeners still answer requests.
    func run() async throws {
        await cancelWhenGracefulShutdown { await exporter.run() }
    }

    /// Sends the last spans. Call this once, after all work has ended.
    func finish() async {
        await exporter.finish()
        await client.shutdown()
    }

    private static func send(
        _ body: Data, to settings: ServiceConfiguration.TraceSettings, by client: EgressClient
    ) async -> SpanExporter.Answer {
        let own = [("Content-Type", "application/json"), ("User-Agent", "prelude-session")]
        do {
            let answer = try await client.send(
                EgressRequest(
                    .post, settings.url, headers: own + settings.variables.headers, body: body, timeout: timeout))
            return SpanExporter.Answer(status: answer.status, body: answer.body)
        } catch .answerTooLarge {
            // It may have taken the spans: they must not be there twice.
            return .rejected(EgressError.answerTooLarge.summary)
        } catch {
            return .failed(error.summary)
        }
    }
}
