import Foundation
import Synchronization
import Testing

@testable import SessionTelemetry

@Suite("The queue of the log")
struct LogLinesTests {
    /// A pipe whose reader may not read.
    private struct UnreadPipe {
        let pipe = Pipe()

        func lines(capacity: Int) -> LogLines {
            let descriptor = pipe.fileHandleForWriting.fileDescriptor
            return LogLines(
                capacity: capacity, write: { LogFile.write($0, to: descriptor) }, reportOfDropped: { "dropped \($0)\n" }
            )
        }

        /// Reads until the pipe ends.
        func read() throws -> [String] {
            let text = try pipe.fileHandleForReading.readToEnd() ?? Data()
            return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    /// Fails, or writes, as a test says.
    private final class Sink: Sendable {
        private let state = Mutex((isBroken: true, text: ""))

        var text: String { state.withLock { $0.text } }
        func repair() { state.withLock { $0.isBroken = false } }

        func write(_ bytes: [UInt8]) -> Int {
            state.withLock { state in
                if state.isBroken { return 0 }
                state.text += String(decoding: bytes, as: UTF8.self)
                return bytes.count
            }
        }
    }

    @Test(
        "A pipe that is not read blocks no caller, and the lines that were dropped are counted where they are missing")
    func unreadPipe() throws {
        let pipe = UnreadPipe()
        let lines = pipe.lines(capacity: 64 * 1024)
        let padding = String(repeating: "x", count: 1000)
        // More than the pipe and the queue can keep. A caller that waited would wait for this test to read.
        let count = 400
        for number in 0..<count { lines.add("\(number) \(padding)\n") }
        lines.flush(seconds: 0)
        let dropped = lines.dropped
        #expect(dropped > 100 && dropped < count)
        let reader = Mutex<[String]>([])
        let end = DispatchGroup()
        DispatchQueue(label: "reader").async(group: end) {
            let all = (try? pipe.read()) ?? []
            reader.withLock { $0 = all }
        }
        lines.flush(seconds: 60)
        lines.add("last\n")
        lines.flush(seconds: 60)
        try pipe.pipe.fileHandleForWriting.close()
        end.wait()
        let read = reader.withLock { $0 }
        // The writer may report several times while the pipe fills.
        let reports = read.filter { $0.hasPrefix("dropped ") }.compactMap { Int($0.dropFirst(8)) }
        let written = read.filter { $0.hasSuffix(padding) }.compactMap { Int($0.prefix { $0 != " " }) }
        #expect(!reports.isEmpty && reports.reduce(0, +) == dropped && lines.dropped == dropped)
        #expect(written.count == count - dropped && written == written.sorted())
        #expect(read.count == reports.count + written.count + 1 && read.last == "last")
    }

    @Test("Lines of several threads never mix, and all are written before a flush returns")
    func threads() async {
        let sink = Sink()
        sink.repair()
        let lines = LogLines(write: sink.write, reportOfDropped: { "dropped \($0)\n" })
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 { group.addTask { for number in 0..<200 { lines.add("\(task) \(number)\n") } } }
        }
        lines.flush(seconds: 60)
        let read = sink.text.split(separator: "\n").map { $0.split(separator: " ").compactMap { Int($0) } }
        #expect(read.count == 1600 && read.allSatisfy { $0.count == 2 } && lines.dropped == 0)
        for task in 0..<8 { #expect(read.filter { $0[0] == task }.map { $0[1] } == Array(0..<200)) }
    }

    @Test("Lines that cannot be written are counted, and reported with the next one that can")
    func failures() {
        let sink = Sink()
        let lines = LogLines(write: sink.write, reportOfDropped: { "dropped \($0)\n" })
        for number in 1...3 {
            lines.add("\(number)\n")
            lines.flush(seconds: 60)
        }
        #expect(lines.dropped == 3)
        sink.repair()
        lines.add("4\n")
        lines.flush(seconds: 60)
        #expect(sink.text == "4\ndropped 3\n" && lines.dropped == 3)
    }

    @Test("A line that was cut, because the disk was full, stays a line of its own")
    func cutLine() {
        let room = Mutex(4)
        let text = Mutex("")
        let lines = LogLines(
            write: { bytes in
                let fitting = bytes.prefix(room.withLock { $0 })
                text.withLock { $0 += String(decoding: fitting, as: UTF8.self) }
                room.withLock { $0 -= fitting.count }
                return fitting.count
            }, reportOfDropped: { "dropped \($0)\n" })
        for line in ["first\n", "second\n"] {
            lines.add(line)
            lines.flush(seconds: 60)
        }
        #expect(text.withLock { $0 } == "firs" && lines.dropped == 2)
        room.withLock { $0 = 1 }
        lines.add("third\n")
        lines.flush(seconds: 60)
        #expect(text.withLock { $0 } == "firs\n" && lines.dropped == 3)
        room.withLock { $0 = 1000 }
        lines.add("fourth\n")
        lines.flush(seconds: 60)
        #expect(text.withLock { $0 } == "firs\nfourth\ndropped 3\n" && lines.dropped == 3)
    }

    @Test("The lines before a crash are written")
    func crash() async throws {
        let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
            LogCrashSignals.install()
            let lines = LogLines(
                write: { bytes in
                    usleep(50_000)
                    return LogFile.writeToStandardError(bytes)
                }, reportOfDropped: { "dropped \($0)\n" })
            lines.add("the reason\n")
            abort()
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("the reason\n"))
    }
}
