import Foundation
import SessionDomain

/// Shows the progress of an export or an import on the standard error: a line that changes on a terminal, else a line for each table and every
/// few seconds.
final class ExportDisplay {
    /// Milliseconds between two lines about the same table without a terminal.
    private static let interval: Int64 = 5000

    private let isQuiet: Bool
    private let isTerminal: Bool
    private let uptime: () -> Int64
    private let write: (String) -> Void
    private var startedAt: Int64
    private var last: (step: ExportProgress.Step, table: String, at: Int64)?

    /// - Parameter uptime: Milliseconds on a clock that never jumps.
    init(
        isQuiet: Bool, isTerminal: Bool = isatty(STDERR_FILENO) == 1, uptime: @escaping () -> Int64,
        write: @escaping (String) -> Void = { FileHandle.standardError.write(Data($0.utf8)) }
    ) {
        self.isQuiet = isQuiet
        self.isTerminal = isTerminal
        self.uptime = uptime
        self.write = write
        startedAt = uptime()
    }

    func show(_ progress: ExportProgress) {
        guard !isQuiet else { return }
        let now = uptime()
        let line = ExportProgressLine(progress, milliseconds: now - startedAt)
        if isTerminal {
            write("\r\u{1B}[K" + line.forTerminal)
        } else if last.map({
            $0.step != progress.step || $0.table != progress.table || now - $0.at >= Self.interval
        }) ?? true {
            write(line.plain + "\n")
            last = (progress.step, progress.table, now)
        }
    }

    /// Ends a step.
    ///
    /// - Returns: The milliseconds that it took.
    @discardableResult
    func end() -> Int64 {
        if isTerminal, !isQuiet { write("\r\u{1B}[K") }
        let now = uptime()
        defer { startedAt = now }
        return now - startedAt
    }
}

/// How far it is, in one line.
struct ExportProgressLine {
    private static let barWidth = 24

    private let progress: ExportProgress
    private let milliseconds: Int64

    /// - Parameter milliseconds: Since the step began.
    init(_ progress: ExportProgress, milliseconds: Int64) {
        self.progress = progress
        self.milliseconds = milliseconds
    }

    private var share: Double {
        progress.total == 0 ? 1 : min(1, Double(progress.rows) / Double(progress.total))
    }

    /// Rows per second of this run. `nil` after few rows, which say nothing.
    private var rate: Double? {
        progress.rowsOfRun < 1000 || milliseconds <= 0
            ? nil : Double(progress.rowsOfRun) * 1000 / Double(milliseconds)
    }

    private var state: String {
        let rows = "\(progress.rows) of \(progress.total) rows"
        guard let rate else { return rows }
        let left =
            progress.rows < progress.total ? ", \(Int(Double(progress.total - progress.rows) / rate) + 1) s left" : ""
        return rows + ", \(Int(rate)) rows/s" + left
    }

    var plain: String { "\(progress.step.rawValue) \(progress.table): \(state)" }

    var forTerminal: String {
        let done = Int(share * Double(Self.barWidth))
        let bar = String(repeating: "#", count: done) + String(repeating: ".", count: Self.barWidth - done)
        let percent = String(repeating: " ", count: 3 - String(Int(share * 100)).count) + "\(Int(share * 100))%"
        return "[\(bar)] \(percent)  \(progress.step.rawValue) \(progress.table)  \(state)"
    }
}
