import Foundation

/// The messages of libdispatch in the log of the system.
///
/// On Linux it asks for priorities of threads that only a privileged process gets: for the work of the main task, and for its
/// own thread, which has no setting. It goes on without, and writes a line for each thread to the journal.
enum DispatchLog {
    /// The variable of libdispatch, which it reads before its first message.
    private static let variable = "LIBDISPATCH_LOG"

    /// Must be called before the process has a second thread. A value that the operator has set stays.
    static func turnOff() {
        #if canImport(Glibc)
            setenv(variable, "NO", 0)
        #endif
    }
}
