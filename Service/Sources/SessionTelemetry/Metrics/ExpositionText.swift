/// Writes the text format of Prometheus, version 0.0.4.
struct ExpositionText {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var content = ""

    mutating func begin(_ metric: MetricDescription) {
        let help = metric.help.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
        content += "# HELP \(metric.name) \(help)\n# TYPE \(metric.name) \(metric.kind.name)\n"
    }

    mutating func add(_ name: String, _ labels: [(String, String)], _ value: Double) {
        content += "\(name)\(Self.text(labels)) \(Self.text(value))\n"
    }

    mutating func add(
        _ name: String, _ labels: [(String, String)], bounds: [Double], _ state: HistogramSeries.State
    ) {
        var total: UInt64 = 0
        for (bound, count) in zip(bounds.map(Self.text) + ["+Inf"], state.counts) {
            total += count
            add("\(name)_bucket", labels + [("le", bound)], Double(total))
        }
        add("\(name)_sum", labels, state.sum)
        add("\(name)_count", labels, Double(total))
    }

    private static func text(_ labels: [(String, String)]) -> String {
        guard !labels.isEmpty else { return "" }
        return "{" + labels.map { "\($0)=\"\(escaped($1))\"" }.joined(separator: ",") + "}"
    }

    /// A label value on one line. Other control characters than the line feed have no escape, so they are replaced.
    static func escaped(_ value: String) -> String {
        var text = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            case _ where scalar.properties.generalCategory == .control: text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    static func text(_ value: Double) -> String {
        if value.rounded() == value, abs(value) < 1e15 { return String(Int64(value)) }
        return String(value)
    }
}
