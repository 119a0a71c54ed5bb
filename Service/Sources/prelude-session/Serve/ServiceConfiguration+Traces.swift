import SessionDomain
import SessionEgress

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
        let own = settings.string(.otlpEndpoint)
        guard let text = own ?? settings.openTelemetry.endpoint else { return nil }
        func refusal(_ problem: String) -> ConfigurationError {
            own == nil
                ? ConfigurationError("OTEL_EXPORTER_OTLP_ENDPOINT", problem) : settings.error(.otlpEndpoint, problem)
        }
        guard !text.contains("?") else { throw refusal("must not have a query") }
        let url = text + (text.hasSuffix("/") ? "" : "/") + "v1/traces"
        do {
            try collectorPolicy.validate(url: url)
        } catch {
            throw refusal("must be the base URL of a collector, such as http://127.0.0.1:4318: \(error.summary)")
        }
        return url
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
