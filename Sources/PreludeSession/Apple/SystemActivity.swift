#if canImport(Security)
    internal import Foundation

    /// The system's expiring activities.
    enum SystemActivity {
        #if os(macOS)
            /// macOS terminates no process for its locks.
            static let current: (any ExpiringActivity)? = nil
        #else
            static let current: (any ExpiringActivity)? = ProcessActivity()

            private struct ProcessActivity: ExpiringActivity {
                func perform(_ reason: String, _ block: @escaping @Sendable (_ isExpired: Bool) -> Void) {
                    ProcessInfo.processInfo.performExpiringActivity(withReason: reason, using: block)
                }
            }
        #endif
    }
#else
    /// Linux does not suspend processes.
    enum SystemActivity {
        static let current: (any ExpiringActivity)? = nil
    }
#endif
