import Foundation

/// The standard variables of OpenTelemetry, which platforms set for all their programs (OpenTelemetry specification,
/// "Environment Variable Specification" and "OpenTelemetry Protocol Exporter").
///
/// The settings of the service are stronger. A value that is not understood is ignored with a warning, as the specification
/// asks: what a platform sets for everything must not keep the service from starting.
struct OpenTelemetryVariables: Sendable {
    /// The base URL of the collector, as `--otlp-endpoint` has it. `nil`: no traces by these variables.
    private(set) var endpoint: String?
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
        headers = pairs(either("HEADERS"), of: "OTEL_EXPORTER_OTLP_HEADERS")
        guard set["OTEL_SDK_DISABLED"]?.lowercased() != "true", set["OTEL_TRACES_EXPORTER"] ?? "otlp" == "otlp" else {
            return
        }
        guard either("PROTOCOL") != "grpc" else {
            warnings.append(
                "OTEL_EXPORTER_OTLP_PROTOCOL is grpc, and the service sends traces over HTTP only: none are sent. Set "
                    + "otlpEndpoint to the collector's port for OTLP over HTTP, which is 4318 by default")
            return
        }
        endpoint =
            set["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"].map {
                $0.hasSuffix("/v1/traces") ? String($0.dropLast("/v1/traces".count)) : $0
            } ?? set["OTEL_EXPORTER_OTLP_ENDPOINT"]
        sample(set["OTEL_TRACES_SAMPLER"], set["OTEL_TRACES_SAMPLER_ARG"])
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
