internal import Foundation
internal import Synchronization

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
