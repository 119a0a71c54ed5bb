import Foundation
import SessionDomain
import Synchronization

/// Answers every request in the same way, and keeps the requests.
final class FakeEgress: Egress {
    private let answer: Result<EgressAnswer, EgressError>
    /// Whether a connection comes about.
    private let isConnected: Bool
    private let log = Mutex<[EgressRequest]>([])

    var requests: [EgressRequest] { log.withLock { $0 } }

    convenience init(_ status: Int, _ body: String) {
        self.init(.success(EgressAnswer(status: status, body: Data(body.utf8))), isConnected: true)
    }

    convenience init(_ error: EgressError, isConnected: Bool = false) {
        self.init(.failure(error), isConnected: isConnected)
    }

    private init(_ answer: Result<EgressAnswer, EgressError>, isConnected: Bool) {
        self.answer = answer
        self.isConnected = isConnected
    }

    func validate(url: String) throws(EgressError) {}

    func send(_ request: EgressRequest) async throws(EgressError) -> EgressAnswer {
        log.withLock { $0.append(request) }
        if isConnected { request.onSend?() }
        return try answer.get()
    }
}
