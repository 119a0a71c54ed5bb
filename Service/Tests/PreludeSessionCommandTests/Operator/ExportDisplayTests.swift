internal import SessionDomain
internal import Testing

@testable internal import prelude_session

@Suite("What an operator sees of an export or an import")
struct ExportDisplayTests {
    /// What the display has written, and its clock.
    private final class Screen {
        var text = ""
        var now: Int64 = 1000
    }

    private let screen = Screen()

    private func display(isTerminal: Bool, isQuiet: Bool = false) -> ExportDisplay {
        let screen = screen
        return ExportDisplay(
            isQuiet: isQuiet, isTerminal: isTerminal, uptime: { screen.now }, write: { screen.text += $0 })
    }

    private func progress(
        _ rows: Int, of total: Int = 20_000, before: Int = 0, table: String = "users"
    ) -> ExportProgress {
        .init(step: .exporting, table: table, rows: rows, rowsOfRun: rows - before, total: total)
    }

    @Test("A terminal has one line that changes, with a bar, the rate and the time that is left")
    func terminal() {
        let display = display(isTerminal: true)
        display.show(progress(0))
        #expect(screen.text == "\r\u{1B}[K[........................]   0%  exporting users  0 of 20000 rows")
        screen.text = ""
        screen.now += 2000
        display.show(progress(10_000))
        #expect(
            screen.text
                == "\r\u{1B}[K[############............]  50%  exporting users  10000 of 20000 rows, 5000 rows/s, 3 s left"
        )
        screen.text = ""
        screen.now += 2000
        display.show(progress(20_000))
        #expect(
            screen.text
                == "\r\u{1B}[K[########################] 100%  exporting users  20000 of 20000 rows, 5000 rows/s")
        screen.text = ""
        #expect(display.end() == 4000)
        #expect(screen.text == "\r\u{1B}[K")
    }

    @Test("Without a terminal, a table has a line at once and every five seconds")
    func lines() {
        let display = display(isTerminal: false)
        display.show(progress(0))
        screen.now += 4999
        display.show(progress(5000))
        screen.now += 1
        display.show(progress(10_000))
        display.show(progress(10_000, table: "sessions"))
        #expect(
            screen.text == """
                exporting users: 0 of 20000 rows
                exporting users: 10000 of 20000 rows, 2000 rows/s, 6 s left
                exporting sessions: 10000 of 20000 rows, 2000 rows/s, 6 s left

                """)
    }

    @Test("The rate counts the rows of this run only")
    func resumed() {
        let display = display(isTerminal: false)
        screen.now += 1000
        display.show(progress(15_000, before: 14_000))
        #expect(screen.text == "exporting users: 15000 of 20000 rows, 1000 rows/s, 6 s left\n")
    }

    @Test("A quiet export shows nothing", arguments: [true, false])
    func quiet(isTerminal: Bool) {
        let display = display(isTerminal: isTerminal, isQuiet: true)
        display.show(progress(1))
        display.end()
        #expect(screen.text.isEmpty)
    }

    @Test("An empty database is complete")
    func empty() {
        let line = ExportProgressLine(progress(0, of: 0), milliseconds: 1000)
        #expect(line.forTerminal == "[########################] 100%  exporting users  0 of 0 rows")
    }
}
