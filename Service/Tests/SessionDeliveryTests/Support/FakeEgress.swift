import Foundation
import SessionDomain
import Synchronization

/// Answers every request in the same way, and keeps the requests.
final class FakeEgress: Egress {
    private let answer: Result<EgressAnswer, EgressError>
    /// Whether a connection comes about.
    private let isConnected: Bool
    /// The status of an answer that begins and then fails.
    private let status: Int?
    private let log = Mutex<[EgressRequest]>([])

    var requests: [EgressRequest] { log.withLock { $0 } }

    convenience init(_ status: Int, _ body: String) {
        self.init(.success(EgressAnswer(status: status, body: Data(body.utf8))), isConnected: true)
    }

    convenience init(_ error: EgressError, isConnected: Bool = false, status: Int? = nil) {
        self.init(.failure(error), isConnected: isConnected, status: status)
    }

    private init(_ answer: Result<EgressAnswer, EgressError>, isConnected: Bool, status: Int? = nil) {
        self.answer = answer
        self.isConnected = isConnected
        self.status = status
    }

    func validate(url: String) throws(EgressError) {}

    func send(_ request: EgressRequest) async throws(EgressError) -> EgressAnswer {
        log.withLock { $0.append(request) }
        if isConnected { request.onSend?() }
        if let status { request.onStatus?(status) }
        return try answer.get()
    }
}
