import SessionDomain
import Synchronization

/// Keeps what it observes.
final class RecordingObserver: ServiceObserver {
    private let kept = Mutex<[Occurrence]>([])

    func observe(_ occurrence: Occurrence) { kept.withLock { $0.append(occurrence) } }

    func instant() -> UInt64 { 0 }

    var all: [Occurrence] { kept.withLock { $0 } }

    var notices: [ServiceNotice] {
        all.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
    }

    var errors: [any Error] {
        all.compactMap { if case .failed(_, let error) = $0 { error } else { nil } }
    }

    /// Occurrences whose case has one of these names, as text.
    func texts(_ cases: String...) -> [String] {
        all.map { "\($0)" }.filter { text in cases.contains { text == $0 || text.hasPrefix("\($0)(") } }
    }
}

extension ServiceEnvironment {
    /// The same environment with an observer.
    func observed(by observer: any ServiceObserver) -> ServiceEnvironment {
        var environment = self
        environment.observer = observer
        return environment
    }
}
