import SessionDomain
import Synchronization

/// Keeps what the service reports to its operator.
final class KeptNotices: Sendable {
    private let kept = Mutex<[ServiceNotice]>([])

    var all: [ServiceNotice] { kept.withLock { $0 } }

    func add(_ notice: ServiceNotice) { kept.withLock { $0.append(notice) } }
}
