import Foundation
import SessionDomain
import Synchronization

/// An egress for tests. It records requests and returns the replies of a closure.
final class FakeEgress: Egress {
    typealias Reply = Result<EgressAnswer, EgressError>

    private let sent = Mutex<[EgressRequest]>([])
    private let reply: @Sendable (_ request: EgressRequest, _ number: Int) async -> Reply

    /// - Parameter reply: Receives the request and the number of requests before it.
    init(_ reply: @escaping @Sendable (_ request: EgressRequest, _ number: Int) async -> Reply) {
        self.reply = reply
    }

    convenience init(always reply: Reply) { self.init { _, _ in reply } }

    /// Every request times out.
    static var unreachable: FakeEgress { FakeEgress(always: .failure(.timedOut)) }

    var requests: [EgressRequest] { sent.withLock { $0 } }

    func send(_ request: EgressRequest) async throws(EgressError) -> EgressAnswer {
        let number = sent.withLock { sent in
            sent.append(request)
            return sent.count - 1
        }
        return try await reply(request, number).get()
    }

    func validate(url: String) throws(EgressError) {
        guard url.hasPrefix("https://") else { throw .refusedURL("must be https") }
    }
}

extension Result where Success == EgressAnswer, Failure == EgressError {
    static func answer(_ body: String, status: Int = 200) -> Self {
        .success(EgressAnswer(status: status, body: Data(body.utf8)))
    }

    static func answer(_ body: Data, status: Int = 200) -> Self { .success(EgressAnswer(status: status, body: body)) }
}

extension EgressRequest {
    /// The value of a header, or `nil` unless it appears exactly once.
    func header(_ name: String) -> String? {
        let values = headers.filter { $0.name == name }.map(\.value)
        return values.count == 1 ? values[0] : nil
    }
}
