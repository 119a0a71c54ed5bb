internal import Dispatch
internal import Foundation
internal import Synchronization

/// Writes the lines of the log on a thread of its own, so that no request waits for the reader of the log.
///
/// Lines wait in a queue with a bound in bytes. Without room a line is dropped. The number of dropped lines has a line of its
/// own, at the place where they are missing.
package final class LogLines: Sendable {
    private struct State {
        var waiting: [String] = []
        /// The bytes that wait or are written.
        var bytes = 0
        /// Dropped lines that no line has reported.
        var unreported = 0
        var dropped = 0
        var isWriting = false
        var hasFailed = false
        /// Whether the last line that was written has no end, because the disk was full.
        var isCut = false

        mutating func complete(_ batch: Batch, lost: Int) {
            bytes -= batch.bytes
            hasFailed = lost > 0
            guard hasFailed else { return }
            // The report is the last line, so it is one of the lost ones.
            let lines = batch.reported > 0 ? lost - 1 : lost
            dropped += lines
            unreported += lines + batch.reported
        }
    }

    /// The most bytes in the queue.
    package static let standardCapacity = 1 << 20
    /// How long the first line waits for others. To wake a thread for each line costs more than to write it.
    private static let pause = DispatchTimeInterval.milliseconds(5)

    private let capacity: Int
    private let writeBytes: @Sendable ([UInt8]) -> Int
    private let reportOfDropped: @Sendable (Int) -> String
    private let state = Mutex(State())
    /// One thread: it writes one batch after the other.
    private let queue = DispatchQueue(label: "log")
    private let writing = DispatchGroup()
    private let lineFeed = UInt8(ascii: "\n")

    /// - Parameters:
    ///   - capacity: The most bytes that wait.
    ///   - write: Writes bytes, blocks while it cannot, and returns how many were written before an error.
    ///   - reportOfDropped: Makes the line about this many dropped lines.
    package init(
        capacity: Int = LogLines.standardCapacity, write: @escaping @Sendable ([UInt8]) -> Int,
        reportOfDropped: @escaping @Sendable (Int) -> String
    ) {
        self.capacity = capacity
        writeBytes = write
        self.reportOfDropped = reportOfDropped
    }

    /// The lines that were dropped since the start.
    package var dropped: Int { state.withLock(\.dropped) }

    /// Queues a line, which ends with a line feed. Never waits for the reader.
    package func add(_ line: String) {
        let mustStart = state.withLock { state in
            guard state.bytes + line.utf8.count <= capacity else {
                state.dropped += 1
                state.unreported += 1
                return false
            }
            state.bytes += line.utf8.count
            state.waiting.append(line)
            guard !state.isWriting else { return false }
            state.isWriting = true
            writing.enter()
            LogCrashSignals.beginWriting()
            return true
        }
        if mustStart { queue.asyncAfter(deadline: .now() + Self.pause) { self.writeAll() } }
    }

    /// Waits until all lines are written, for this many seconds at most.
    package func flush(seconds: Double) { _ = writing.wait(timeout: .now() + seconds) }

    private struct Batch {
        let text: String
        /// The bytes of its lines in the queue.
        let bytes: Int
        /// The dropped lines that its last line reports.
        let reported: Int
        /// Whether it begins with the end of a line that was cut.
        let endsLine: Bool
    }

    private func writeAll() {
        var last: (batch: Batch, lost: Int)?
        while let batch = next(after: last) {
            let bytes = Array(batch.text.utf8)
            let rest = bytes[writeBytes(bytes)...]
            let ends = rest.count { $0 == lineFeed }
            if rest.startIndex > 0 { state.withLock { $0.isCut = bytes[rest.startIndex - 1] != lineFeed } }
            // The end of a line that was cut is no line.
            last = (batch, batch.endsLine && rest.startIndex == 0 ? ends - 1 : ends)
        }
    }

    /// The next batch. `nil` if nothing waits: then `add` starts again.
    private func next(after last: (batch: Batch, lost: Int)?) -> Batch? {
        state.withLock { state in
            if let last { state.complete(last.batch, lost: last.lost) }
            // What cannot be written is reported with the next line, or this would repeat without an end.
            guard !state.waiting.isEmpty || (state.unreported > 0 && !state.hasFailed) else {
                state.isWriting = false
                LogCrashSignals.endWriting()
                writing.leave()
                return nil
            }
            let lines = state.waiting.joined()
            let reported = state.unreported
            (state.waiting, state.unreported) = ([], 0)
            let report = reported > 0 ? reportOfDropped(reported) : ""
            return Batch(
                text: (state.isCut ? "\n" : "") + lines + report, bytes: lines.utf8.count, reported: reported,
                endsLine: state.isCut)
        }
    }
}

/// A file or pipe that receives the log.
package enum LogFile {
    /// Writes bytes to an open file. Blocks while a pipe is full.
    ///
    /// - Returns: How many bytes were written before an error. All, if there was none.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                written += count
            } else if errno == EAGAIN {
                // Another program has set the pipe to non-blocking.
                var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&event, 1, -1)
            } else if errno != EINTR {
                break
            }
        }
        return written
    }

    package static func writeToStandardError(_ bytes: [UInt8]) -> Int { write(bytes, to: STDERR_FILENO) }
}

/// Delays the end of a crashing process until the queued lines of the log are written, for half a second at most.
///
/// The lines before a crash are those that explain it. A handler of signals must take no lock, so it only sleeps, and the
/// thread of the log writes meanwhile. A handler that exists already, such as that of Swift's backtraces, stays.
package enum LogCrashSignals {
    /// How many logs have lines that are not written.
    private static let unwritten = Atomic<Int>(0)

    static func beginWriting() { unwritten.add(1, ordering: .relaxed) }

    static func endWriting() { unwritten.subtract(1, ordering: .relaxed) }

    /// Installs the handler.
    package static func install() {
        // Initializes the counter now, because its first use takes a lock and the handler must not.
        _ = unwritten.load(ordering: .relaxed)
        for signal in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] { install(for: signal) }
    }

    private static func install(for signal: Int32) {
        var current = sigaction()
        guard sigaction(signal, nil, &current) == 0, isDefault(current) else { return }
        var action = sigaction()
        // The handler is removed before it runs. So the raised signal ends the process, with its usual status.
        action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
        #if canImport(Darwin)
            action.__sigaction_u.__sa_handler = handler
        #else
            action.__sigaction_handler.sa_handler = handler
        #endif
        sigaction(signal, &action, nil)
    }

    private static let handler: @convention(c) (Int32) -> Void = { signal in
        for _ in 0..<100 where LogCrashSignals.unwritten.load(ordering: .relaxed) > 0 {
            var pause = timespec(tv_sec: 0, tv_nsec: 5_000_000)
            nanosleep(&pause, nil)
        }
        raise(signal)
    }

    private static func isDefault(_ action: sigaction) -> Bool {
        #if canImport(Darwin)
            unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self) == 0
        #else
            unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 0
        #endif
    }
}
