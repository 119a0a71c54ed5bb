import PreludeSession
import Synchronization

/// Keeps the entries of a log.
final class RecordedLog: PreludeSessionLogHandler {
    private let kept = Mutex<[PreludeSessionLogEntry]>([])
    var entries: [PreludeSessionLogEntry] { kept.withLock { $0 } }
    var messages: [String] { entries.map(\.message) }

    func log(_ entry: PreludeSessionLogEntry) { kept.withLock { $0.append(entry) } }
}
