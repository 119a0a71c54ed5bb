import SessionDomain

/// The lines that show how far a test message came: one for each stage, and what to do about a failure.
struct DeliveryTestLines {
    let lines: [String]

    init(_ report: RouteReport) {
        var lines = report.steps.map { Self.line($0.stage, "ok", $0.detail) }
        switch report.result {
        case .accepted(let reference):
            lines.append(Self.line("result", "ok", reference.map { "accepted: \($0)" } ?? "accepted"))
        case .rejected(let failure), .failed(let failure):
            lines.append(Self.line(failure.stage, "FAILED", failure.reason))
            if let remedy = report.remedy { lines.append(Self.line("remedy", "", remedy)) }
        }
        self.lines = lines
    }

    private static func line(_ stage: SendingFailure.Stage, _ state: String, _ text: String) -> String {
        line(stage.label, state, text)
    }

    private static func line(_ label: String, _ state: String, _ text: String) -> String {
        let padded = { (text: String, width: Int) in text + String(repeating: " ", count: max(width - text.count, 0)) }
        return "  \(padded(label, 10)) \(padded(state, 6)) \(text)"
    }
}
