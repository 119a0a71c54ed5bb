import Foundation
import SessionDomain
import Synchronization

<<<<<<< HEAD:Tests/SessionDomainTests/Support/FakeEgress.swift
/// An egress for tests. It records requests and returns the replies of a closure.
=======
/// Records requests and returns prepared answers.
>>>>>>> cba9ace35ccc8107ad3658535d6720ab9977bc14:Tests/SessionDomainTests/Fakes/FakeEgress.swift
final class FakeEgress: Egress {
    typealias Reply = Result<EgressAnswer, EgressError>

    private let sent = Mutex<[EgressRequest]>([])
    private let reply: @Sendable (_ request: EgressRequest, _ number: Int) async -> Reply

<<<<<<< HEAD:Tests/SessionDomainTests/Support/FakeEgress.swift
    /// - Parameter reply: Receives the request and the number of requests before it.
=======
    /// - Parameter reply: Called with the request and the number of requests before it.
>>>>>>> cba9ace35ccc8107ad3658535d6720ab9977bc14:Tests/SessionDomainTests/Fakes/FakeEgress.swift
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
<<<<<<< HEAD:Tests/SessionDomainTests/Support/FakeEgress.swift
    /// The value of a header, or `nil` unless it appears exactly once.
=======
    /// The value of a header that is set once.
>>>>>>> cba9ace35ccc8107ad3658535d6720ab9977bc14:Tests/SessionDomainTests/Fakes/FakeEgress.swift
    func header(_ name: String) -> String? {
        let values = headers.filter { $0.name == name }.map(\.value)
        return values.count == 1 ? values[0] : nil
    }
}
