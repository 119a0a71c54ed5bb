import SessionDomain

/// The lines of one graph over the time of a range.
struct Graph {
    /// What the values are.
    enum Measure {
        case count
        case seconds
    }

    /// How a line looks. Each has its own colour and its own dashes, so that lines differ without colours, too.
    enum Style: String {
        case main, good, warn, bad
    }

    struct Line {
        let name: String
        let style: Style
        /// The value of amounts of some time. `nil`: there is none, such as a duration without calls.
        let value: @Sendable (ActivityAmounts) -> Double?

        init(_ name: String, _ style: Style, _ value: @escaping @Sendable (ActivityAmounts) -> Double?) {
            (self.name, self.style, self.value) = (name, style, value)
        }

        init(_ name: String, _ style: Style, _ count: ActivityCount) {
            self.init(name, style) { Double($0[count]) }
        }
    }

    /// Names the parts of the graph on the page.
    let id: String
    let title: String
    /// What is counted.
    let note: String
    let measure: Measure
    let lines: [Line]

    static let all: [Graph] = [logins, refreshes, failures, latency, messages]

    private static let logins = Graph(
        id: "logins", title: "Logins",
        note: "Logins of all apps. Finished and failed ones include those of operators at the console.",
        measure: .count,
        lines: [
            Line("started", .main, .loginsStarted), Line("finished", .good, .loginsSucceeded),
            Line("failed", .bad, .loginsFailed),
        ])

    private static let refreshes = Graph(
        id: "refreshes", title: "Refreshes", note: "Refresh tokens that apps have presented.", measure: .count,
        lines: [Line("renewed", .main, .refreshesRenewed), Line("refused", .bad, .refreshesRefused)])

    private static let failures = Graph(
        id: "failures", title: "Failed calls",
        note:
            "Calls of apps and backends: refused (400 to 499), limited (429, or too many), errors (500 to 599).",
        measure: .count,
        lines: [
            Line("refused", .main, .callsRefused), Line("limited", .warn, .callsLimited),
            Line("errors", .bad, .callsFailed),
        ])

    private static let latency = Graph(
        id: "latency", title: "Response times",
        note: "Time within which 50, 90 and 99 % of the calls of apps were answered, estimated.", measure: .seconds,
        lines: [
            Line("50 %", .main) { $0.latency.quantile(0.5) }, Line("90 %", .warn) { $0.latency.quantile(0.9) },
            Line("99 %", .bad) { $0.latency.quantile(0.99) },
        ])

    private static let messages = Graph(
        id: "messages", title: "Messages", note: "Codes and notices that a route took, or that no route took.",
        measure: .count, lines: linesOfMessages)

    private static let linesOfMessages = [
        Line("mails sent", .main, .mailsSent), Line("mails failed", .bad, .mailsFailed),
        Line("SMS sent", .good, .smsSent), Line("SMS failed", .warn, .smsFailed),
    ]

    /// The graphs of one app: what its events tell.
    static let ofAppEvents = [
        Graph(
            id: "app-logins", title: "Logins of this app",
            note: "Logins that users have finished, tries that have failed, and limits that were reached.",
            measure: .count,
            lines: [
                Line("finished", .good, .loginsSucceeded), Line("failed", .bad, .loginsFailed),
                Line("limited", .warn, .callsLimited),
            ]),
        Graph(
            id: "app-messages", title: "Messages of this app", note: messages.note, measure: .count,
            lines: linesOfMessages),
    ]

    /// The graphs of one app: its calls, on one node.
    static let ofAppCalls = [
        Graph(
            id: "app-refreshes", title: "Refreshes of this app", note: "Refresh tokens that the app has presented.",
            measure: .count, lines: refreshes.lines),
        Graph(
            id: "app-failures", title: "Failed calls of this app",
            note:
                "Calls of the app, and of backends about it: refused (400 to 499), limited (429), errors (500 to 599).",
            measure: .count, lines: failures.lines),
        Graph(
            id: "app-latency", title: "Response times of this app",
            note: "Time within which 50, 90 and 99 % of the calls of the app were answered, estimated.",
            measure: .seconds, lines: latency.lines),
    ]

    /// A value with its unit.
    func text(_ value: Double?) -> String {
        guard let value else { return "–" }
        switch measure {
        case .count: return String(Int(value))
        case .seconds: return Self.duration(value)
        }
    }

    private static func duration(_ seconds: Double) -> String {
        func text(_ value: Double) -> String {
            let tenths = Int((value * 10).rounded())
            return value >= 10 || tenths % 10 == 0 ? String((tenths + 5) / 10) : "\(tenths / 10).\(tenths % 10)"
        }
        // 999.95 would be shown as 1000 milliseconds.
        return seconds < 0.9995 ? text(seconds * 1000) + " ms" : text(seconds) + " s"
    }

    /// The end of the axis: twice a number that begins with 1, 2 or 5, so that the middle has a short label, too.
    func top(of largest: Double) -> Double {
        let unit = measure == .count ? 1 : 0.001
        var (half, factors) = (1.0, [2.0, 2.5, 2.0])
        while half * 2 * unit < largest {
            half *= factors[0]
            factors.append(factors.removeFirst())
        }
        return half * 2 * unit
    }
}

/// Draws the values of a line into a picture of fixed size, which the page stretches.
enum GraphPath {
    static let height = 100

    /// The commands of an SVG path: one step to the right for each value, and a gap where there is none.
    ///
    /// - Parameter top: The value at the upper edge.
    static func commands(_ values: [Double?], top: Double) -> String {
        let heights = values.map { value in value.map { Int((Double(height * 10) * (1 - $0 / top)).rounded()) } }
        var text = ""
        for (x, y) in heights.enumerated() {
            guard let y else { continue }
            let before = x == 0 ? nil : heights[x - 1]
            let after = x + 1 == heights.count ? nil : heights[x + 1]
            if before == nil {
                text += "M\(x) \(tenths(y))"
                // A line without length is a dot.
                if after == nil { text += "h0" }
            } else if before != y || after != y {
                text += "L\(x) \(tenths(y))"
            }
        }
        return text
    }

    private static func tenths(_ value: Int) -> String {
        value % 10 == 0 ? "\(value / 10)" : "\(value / 10).\(value % 10)"
    }
}
