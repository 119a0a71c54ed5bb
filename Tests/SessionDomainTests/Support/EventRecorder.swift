import SessionDomain
import Synchronization

/// Remembers appended events; everything else that a step-up store can do fails.
final class EventRecorder: StepUpStore {
    private let appended = Mutex<[Event]>([])
    private let isBroken: Bool

    /// - Parameter isBroken: Whether even events cannot be stored.
    init(isBroken: Bool = false) { self.isBroken = isBroken }

    var events: [Event] { appended.withLock { $0 } }

    func append(_ events: [Event]) async throws {
        if isBroken { throw StoreError.overloaded }
        appended.withLock { $0 += events }
    }

    func countStepUp(user id: String, app: AppID, limit: RateLimit, now: Timestamp) async throws -> Timestamp? {
        throw StoreError.overloaded
    }

    func openChallenge(_ intent: OpenChallenge) async throws { throw StoreError.overloaded }

    func sendStepUpCode(_ intent: SendStepUpCode) async throws -> SendStepUpOutcome { throw StoreError.overloaded }

    func checkStepUpCode(_ intent: CheckStepUpCode) async throws -> StepOutcome { throw StoreError.overloaded }

    func completeCustomStep(_ intent: CompleteCustomStep) async throws -> StepOutcome { throw StoreError.overloaded }

    func grants(of userID: String, app: AppID) async throws -> [Grant] { throw StoreError.overloaded }

    func changePassword(_ intent: ChangePassword) async throws -> ChangePasswordOutcome { throw StoreError.overloaded }
}
