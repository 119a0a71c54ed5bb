package import Logging
package import SessionDomain

/// Writes notices, and failures that no response reports, to the log.
package struct LogObserver: ServiceObserver {
    private let logger: Logger

    package init(logger: Logger) { self.logger = logger }

    package func observe(_ occurrence: Occurrence) {
        switch occurrence {
        case .notice(let notice): logger.log(level: notice.isError ? .error : .warning, "\(notice)")
        case .failed(let work, let error):
            // A failing store has notices of its own, at most one per second.
            if error is StoreError { return }
            let text =
                switch work {
                case .housekeeping: "housekeeping"
                case .webhooks, .messages: "delivery of \(work.rawValue)"
                case .hashUpgrade: "upgrade of a password hash"
                }
            logger.error("\(text) failed", metadata: ["error": "\(error)"])
        default: break
        }
    }
}
