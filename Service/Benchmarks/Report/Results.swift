import Foundation

/// The rows of all rounds, in the order of their first measurement.
struct Results {
    /// A phase, whatever its rate of intended requests.
    struct Key: Hashable {
        var name: String
        var connections: Int
        var isOpen = false
    }

    private var order: [Key] = []
    private var rounds: [Key: [Row]] = [:]
    private var inProcess: [String: [InProcessResult]] = [:]
    private var ratios: [String: [Double]] = [:]
    private var ratioOrder: [String] = []

    mutating func add(_ row: Row, _ key: Key) {
        if rounds[key] == nil { order.append(key) }
        rounds[key, default: []].append(row)
    }

    mutating func add(_ result: InProcessResult) { inProcess[result.name, default: []].append(result) }

    /// Adds the ratio of two measurements of the same round.
    mutating func addRatio(_ name: String, _ value: Double) {
        if ratios[name] == nil { ratioOrder.append(name) }
        ratios[name, default: []].append(value)
    }

    func last(_ key: Key) -> Row? { rounds[key]?.last }

    func lastInProcess(_ name: String) -> InProcessResult? { inProcess[name]?.last }

    /// The median of the rounds; 0 without one.
    func ratio(_ name: String) -> Double { ratios[name].map(Median.of) ?? 0 }

    var medians: [Row] { order.compactMap { rounds[$0].map(Row.init(medianOf:)) } }

    /// The table, the results without a network, and the ratios.
    var text: String {
        var lines = [Row.heading] + medians.map(\.line) + [""] + medians.flatMap(\.notes)
        for name in ["domain", "router", "argon2id", "sync"] {
            guard let all = inProcess[name] else { continue }
            lines.append(
                String(
                    format: "in process: %@ %.0f/s, %.0f us of CPU each", name,
                    Median.of(all.map(\.perSecond)), Median.of(all.map(\.cpuMicroseconds))))
        }
        for name in ratioOrder {
            let each = (ratios[name] ?? []).map { String(format: "%.2f", $0) }.joined(separator: " ")
            lines.append(String(format: "%@: %.2f (rounds: %@)", name, ratio(name), each))
        }
        return lines.joined(separator: "\n")
    }
}
