internal import Foundation
internal import Logging

/// The priority before a line of the log, from which the journal gets the level of the line (sd-daemon(3)).
///
/// The journal removes it. So `journalctl -p warning` shows warnings and errors only.
package enum LogPriority {
    /// `<4>` for a warning.
    static func prefix(of level: Logger.Level) -> String {
        switch level {
        case .trace, .debug: "<7>"
        case .info: "<6>"
        case .notice: "<5>"
        case .warning: "<4>"
        case .error: "<3>"
        case .critical: "<2>"
        }
    }

    /// Whether a descriptor is the stream of the journal.
    ///
    /// - Parameter stream: `JOURNAL_STREAM`. A process whose output was redirected has it, too, so it must name the
    ///   device and the number of the file.
    package static func isRead(stream: String?, descriptor: Int32) -> Bool {
        var file = stat()
        guard let stream, fstat(descriptor, &file) == 0 else { return false }
        return stream == "\(file.st_dev):\(file.st_ino)"
    }
}
