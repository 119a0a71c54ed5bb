internal import Foundation

/// Lowers the priority of a thread.
enum LowPriority {
    #if canImport(Glibc)
        /// The nice value of the thread: a thread of normal priority gets nine times as much of a busy processor.
        private static let nice: Int32 = 10
    #endif

    /// It cannot be raised again without privileges, so the thread must do no other work afterwards.
    static func ofThisThread() {
        #if canImport(Glibc)
            // On Linux, 0 names the calling thread, not the process.
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, nice)
        #else
            Thread.current.qualityOfService = .utility
        #endif
    }
}
