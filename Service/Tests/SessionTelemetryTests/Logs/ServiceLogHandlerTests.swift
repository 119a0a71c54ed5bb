import Foundation
import Logging
import SessionDomain
import Synchronization
import Testing

@testable import SessionTelemetry

// As in ServiceLogHandler.swift.
#if canImport(CoreFoundation)
    import CoreFoundation
#endif
#if canImport(CDispatch)
    import CDispatch
#endif
#if canImport(Glibc)
    import Glibc
#endif

@Suite("The log of the process")
struct ServiceLogHandlerTests {
    /// Keeps lines.
    private final class Lines: Sendable {
        private let kept = Mutex<[String]>([])
        var all: [String] { kept.withLock { $0 } }
        func add(_ line: String) { kept.withLock { $0.append(line) } }
    }

    private func logger(_ level: LogLevelSwitch, _ lines: Lines) -> Logger {
        Logger(label: "test") { label in
            ServiceLogHandler(label: label, format: .text, level: level, now: { 0 }, write: lines.add)
        }
    }

    @Test("A change of the level is valid for loggers that exist, and no logger has its own level")
    func level() {
        let (level, lines) = (LogLevelSwitch(.info), Lines())
        var logger = logger(level, lines)
        let copy = logger
        logger.debug("1")
        level.level = .debug
        logger.debug("2")
        copy.debug("3")
        logger.logLevel = .trace
        logger.trace("4")
        level.level = .error
        copy.warning("5")
        #expect(lines.all.map { $0.suffix(2) } == ["2\n", "3\n"])
    }

    @Test("A line for the journal begins with its priority", arguments: LogFormat.allCases)
    func priority(format: LogFormat) {
        let lines = Lines()
        let logger = Logger(label: "test") { label in
            ServiceLogHandler(
                label: label, format: format, hasPriority: true, level: LogLevelSwitch(.trace), now: { 0 },
                write: lines.add)
        }
        for level in Logger.Level.allCases { logger.log(level: level, "a\nb") }
        #expect(lines.all.map { $0.prefix(3) } == ["<7>", "<7>", "<6>", "<5>", "<4>", "<3>", "<2>"])
        #expect(lines.all.allSatisfy { $0.count { $0 == "\n" } == 1 })
    }

    @Test("The journal reads priorities only if standard error is the stream that it names")
    func journal() throws {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/dev/null"))
        var status = stat()
        try #require(fstat(file.fileDescriptor, &status) == 0)
        func isRead(_ stream: String?) -> Bool {
            LogPriority.isRead(stream: stream, descriptor: file.fileDescriptor)
        }
        #expect(isRead("\(status.st_dev):\(status.st_ino)"))
        #expect(!isRead("\(status.st_dev):\(status.st_ino + 1)") && !isRead("1") && !isRead("") && !isRead(nil))
        #expect(!LogPriority.isRead(stream: "\(status.st_dev):\(status.st_ino)", descriptor: -1))
    }

    @Test("Metadata of the logger and of the call are merged")
    func metadata() {
        let (level, lines) = (LogLevelSwitch(.info), Lines())
        var logger = logger(level, lines)
        logger[metadataKey: "a"] = "1"
        logger[metadataKey: "b"] = "1"
        logger.info("x", metadata: ["b": "2", "c": "3"])
        #expect(lines.all == ["1970-01-01T00:00:00.000Z info test: x a=1 b=2 c=3\n"])
    }

    @Test("Notices are warnings, failures that no response reports are errors, and nothing else has a line")
    func observer() throws {
        let lines = Lines()
        let observer = LogObserver(logger: logger(LogLevelSwitch(.trace), lines))
        observer.observe(.notice(.clockJumped(seconds: 7)))
        observer.observe(.failed(.housekeeping, Refusal.notFound("x")))
        observer.observe(.failed(.messages, Refusal.notFound("x")))
        observer.observe(.failed(.hashUpgrade, Refusal.notFound("x")))
        // The store reports its failures itself.
        observer.observe(.failed(.messages, StoreError.contended))
        observer.observe(.refresh(.rotated, .service))
        observer.observe(.limitReached(.starts))
        try #require(lines.all.count == 4)
        #expect(lines.all[0].contains(" warning test: the clock advanced by 7 seconds"))
        #expect(lines.all[1].contains(" error test: housekeeping failed error="))
        #expect(lines.all[2].contains(" error test: delivery of messages failed error="))
        #expect(lines.all[3].contains(" error test: upgrade of a password hash failed error="))
    }
}
