import Foundation
import SessionDomain
import Synchronization

/// Answers every request in the same way, and keeps the requests.
final class FakeEgress: Egress {
    private let answer: Result<EgressAnswer, EgressError>
    private let log = Mutex<[EgressRequest]>([])

    var requests: [EgressRequest] { log.withLock { $0 } }

    init(_ status: Int, _ body: String) { answer = .success(EgressAnswer(status: status, body: Data(body.utf8))) }

    init(_ error: EgressError) { answer = .failure(error) }

    func validate(url: String) throws(EgressError) {}

    func send(_ request: EgressRequest) async throws(EgressError) -> EgressAnswer {
        log.withLock { $0.append(request) }
        return try answer.get()
    }
}
