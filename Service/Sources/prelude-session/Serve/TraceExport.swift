import Foundation
import HTTPTypes
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

extension ServiceConfiguration {
    /// Where spans are sent, and which.
    struct TraceSettings: Sendable {
        /// The URL of the collector that takes traces.
        var url: String
        /// The part of traces that are recorded, from 0 to 1.
        var ratio: Double
        /// Whether trusted proxies decide which traces are recorded.
        var followsProxies: Bool
        /// The name of the service, attributes and headers that the platform has set.
        var variables: OpenTelemetryVariables
    }

    /// - Returns: `nil` without an endpoint: traces are off.
    static func traces(_ settings: Settings, problems: inout ConfigurationProblems) -> TraceSettings? {
        let url = problems.value(nil) { try collectorURL(settings) }
        let ratio = problems.value(settings.openTelemetry.ratio) { try traceRatio(settings) }
        let followsProxies = problems.value(false) { try settings.flag(.otlpFollowProxies) }
        return url.map {
            TraceSettings(url: $0, ratio: ratio, followsProxies: followsProxies, variables: settings.openTelemetry)
        }
    }

    /// Reads the base URL of the collector. Its path for traces is `/v1/traces` (OTLP specification, "OTLP/HTTP Request").
    private static func collectorURL(_ settings: Settings) throws -> String? {
        guard let text = settings.string(.otlpEndpoint) else {
            return settings.openTelemetry.collector.flatMap { problem(ofCollector: $0.url) == nil ? $0.url : nil }
        }
        guard !text.contains("?") else { throw settings.error(.otlpEndpoint, "must not have a query") }
        let url = text + (text.hasSuffix("/") ? "" : "/") + "v1/traces"
        if let problem = problem(ofCollector: url) {
            throw settings.error(
                .otlpEndpoint, "must be the base URL of a collector, such as http://127.0.0.1:4318: \(problem)")
        }
        return url
    }

    private static func problem(ofCollector url: String) -> String? {
        do {
            try collectorPolicy.validate(url: url)
            return nil
        } catch {
            return error.summary
        }
    }

    /// Why the URL of the platform is not used: what it sets for everything must not keep the service from starting.
    var warningsOfCollector: [String] {
        guard settings.string(.otlpEndpoint) == nil, let (url, variable) = settings.openTelemetry.collector,
            let problem = Self.problem(ofCollector: url)
        else { return [] }
        return ["\(variable) is not the URL of a collector, and no traces are sent: \(problem)"]
    }

    private static func traceRatio(_ settings: Settings) throws -> Double? {
        guard let text = settings.string(.otlpRatio) else { return nil }
        guard let ratio = Double(text), (0...1).contains(ratio) else {
            throw settings.error(.otlpRatio, "must be a number from 0 to 1, such as 0.05")
        }
        return ratio
    }

    /// The operator names the collector, and not the operator of an app. So it may be anywhere, and without TLS.
    private static let collectorPolicy = EgressPolicy(
        allowsPlainHTTP: true, allowedNetworks: ["0.0.0.0/0", "::/0"].compactMap { IPNetwork($0) })

    /// Returns a client for the collector. It is not observed: an export makes no span and no metric of a hook.
    func makeCollectorClient() throws -> EgressClient {
        var policy = Self.collectorPolicy
        policy.additionalTrustRoots = egressTrustRoots
        return try EgressClient(policy: policy)
    }
}

/// The standard variables of OpenTelemetry, which platforms set for all their programs (OpenTelemetry specification,
/// "Environment Variable Specification" and "OpenTelemetry Protocol Exporter").
///
/// The settings of the service are stronger. A value that is not understood is ignored with a warning, as the specification
/// asks: what a platform sets for everything must not keep the service from starting.
struct OpenTelemetryVariables: Sendable {
    /// The URL of the collector for traces, and the variable that has it. `nil`: no traces by these variables.
    private(set) var collector: (url: String, variable: String)?
    private(set) var ratio = 1.0
    private(set) var serviceName: String?
    /// Attributes of the resource, in the order of their names.
    private(set) var attributes: [(name: String, value: String)] = []
    /// Headers of an export.
    private(set) var headers: [(name: String, value: String)] = []
    private(set) var warnings: [String] = []

    init(_ environment: [String: String]) {
        // An empty value counts as none.
        let set = environment.filter { $0.key.hasPrefix("OTEL_") && !$0.value.isEmpty }
        func either(_ name: String) -> String? {
            set["OTEL_EXPORTER_OTLP_TRACES_\(name)"] ?? set["OTEL_EXPORTER_OTLP_\(name)"]
        }
        serviceName = set["OTEL_SERVICE_NAME"]
        attributes = pairs(set["OTEL_RESOURCE_ATTRIBUTES"], of: "OTEL_RESOURCE_ATTRIBUTES").sorted { $0.name < $1.name }
        if serviceName == nil { serviceName = attributes.first { $0.name == "service.name" }?.value }
        attributes.removeAll { $0.name.hasPrefix("service.name") || $0.name == "service.instance.id" }
        headers = pairs(either("HEADERS"), of: "OTEL_EXPORTER_OTLP_HEADERS").filter { isSendable($0.name) }
        guard set["OTEL_SDK_DISABLED"]?.lowercased() != "true", set["OTEL_TRACES_EXPORTER"] ?? "otlp" == "otlp" else {
            return
        }
        guard either("PROTOCOL") != "grpc" else {
            warnings.append(
                "OTEL_EXPORTER_OTLP_PROTOCOL is grpc, and the service sends traces over HTTP only: none are sent. Set "
                    + "otlpEndpoint to the collector's port for OTLP over HTTP, which is 4318 by default")
            return
        }
        // The first one is used as it is, the second one is the base of it (OpenTelemetry Protocol Exporter, "Endpoint URLs").
        collector =
            set["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"].map { ($0, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") }
            ?? set["OTEL_EXPORTER_OTLP_ENDPOINT"].map {
                (Self.traces(below: $0), "OTEL_EXPORTER_OTLP_ENDPOINT")
            }
        sample(set["OTEL_TRACES_SAMPLER"], set["OTEL_TRACES_SAMPLER_ARG"])
    }

    /// The path of traces is a part of the URL before its query.
    private static func traces(below base: String) -> String {
        let path = base.prefix { $0 != "?" }
        return path + (path.hasSuffix("/") ? "" : "/") + "v1/traces" + base.dropFirst(path.count)
    }

    /// Headers that the exporter and its client set.
    private static let ownHeaders: Set = [
        "connection", "content-length", "content-type", "host", "transfer-encoding", "user-agent",
    ]

    /// Whether a header may be added: its name is one (RFC 9110 §5.1), and the exporter does not set it.
    private mutating func isSendable(_ name: String) -> Bool {
        let isName = HTTPField.Name(name) != nil
        if isName, !Self.ownHeaders.contains(name.lowercased()) { return true }
        // What is no name can be a part of a secret.
        warnings.append(
            "OTEL_EXPORTER_OTLP_HEADERS has \(isName ? name : "a name"), which is not a header that can be added: it is "
                + "ignored")
        return false
    }

    private mutating func sample(_ sampler: String?, _ argument: String?) {
        switch sampler {
        case nil, "always_on", "parentbased_always_on": ratio = 1
        case "always_off", "parentbased_always_off": ratio = 0
        case "traceidratio", "parentbased_traceidratio":
            guard let argument else { return }
            if let value = Double(argument), (0...1).contains(value) {
                ratio = value
            } else {
                warnings.append("OTEL_TRACES_SAMPLER_ARG is not a number from 0 to 1: all traces are recorded")
            }
        case let other?:
            warnings.append(
                "OTEL_TRACES_SAMPLER \(other.escapedForTerminal) is not supported: all traces are recorded. Set otlpRatio"
            )
        }
    }

    /// `name=value,name=value`, with percent-encoding (W3C Baggage §3.3).
    private mutating func pairs(_ text: String?, of variable: String) -> [(name: String, value: String)] {
        guard let text else { return [] }
        return text.split(separator: ",").compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2, !parts[0].isEmpty, let value = parts[1].removingPercentEncoding,
                !value.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else {
                // A header can be a secret, so the value is not shown.
                warnings.append("\(variable) has a part that is not NAME=VALUE: it is ignored")
                return nil
            }
            return (parts[0], value)
        }
    }
}
