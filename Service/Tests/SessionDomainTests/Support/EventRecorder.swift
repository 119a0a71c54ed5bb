import SessionDomain
import Synchronization

/// A store that remembers appended events and has no rows.
final class EventRecorder: IntentStore {
    private let appended = Mutex<[Event]>([])
    private let isBroken: Bool

    /// - Parameter isBroken: Whether every write fails.
    init(isBroken: Bool = false) { self.isBroken = isBroken }

    var events: [Event] { appended.withLock { $0 } }

    func perform<I: Intent>(_ intent: I) async throws -> I.Outcome {
        if isBroken { throw StoreError.overloaded }
        let decision = try intent.decide(FoundRows())
        appended.withLock {
            $0 += decision.changes.compactMap { if case .append(let event) = $0 { event } else { nil } }
        }
        return decision.outcome
    }
}
