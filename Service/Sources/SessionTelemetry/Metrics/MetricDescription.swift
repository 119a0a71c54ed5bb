/// A metric that the service exports: what `docs/observability.md` lists.
package struct MetricDescription: Sendable {
    package enum Kind: Sendable, Equatable {
        case counter, gauge
        /// - Parameter buckets: The upper bounds, without infinity.
        case histogram(buckets: [Double])

        package var name: String {
            switch self {
            case .counter: "counter"
            case .gauge: "gauge"
            case .histogram: "histogram"
            }
        }
    }

    package let name: String
    package let kind: Kind
    package let labels: [String]
    package let help: String

    package init(_ name: String, _ kind: Kind, labels: [String] = [], _ help: String) {
        self.name = name
        self.kind = kind
        self.labels = labels
        self.help = help
    }
}
