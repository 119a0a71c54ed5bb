package import Logging

/// What the management API shows and changes of this process.
package struct ProcessControls: Sendable {
    /// The text of `/metrics`.
    package let metrics: @Sendable () -> String
    package let logLevel: @Sendable () -> Logger.Level
    package let setLogLevel: @Sendable (Logger.Level) -> Void

    package init(
        metrics: @escaping @Sendable () -> String, logLevel: @escaping @Sendable () -> Logger.Level,
        setLogLevel: @escaping @Sendable (Logger.Level) -> Void
    ) {
        self.metrics = metrics
        self.logLevel = logLevel
        self.setLogLevel = setLogLevel
    }
}
