import Synchronization

extension TestService {
    /// A request that a client sent, to the service or to the app's backend.
    public struct SentRequest: Sendable, Hashable {
        /// The purpose of the request; `nil` for a request to the app's backend.
        public let call: Call?
        /// The HTTP method, such as `GET`.
        public let method: String
        /// The path without the query.
        public let path: String
        /// The status that the client received. `nil` while the client waits, and when no response arrived.
        public internal(set) var status: Int?
    }
}

/// The requests of all clients, in the order in which they were sent.
final class RequestLog: Sendable {
    private let kept = Mutex<[TestService.SentRequest]>([])

    var requests: [TestService.SentRequest] { kept.withLock { $0 } }

    /// - Returns: The index for `note(status:at:)`.
    func add(_ request: TestService.SentRequest) -> Int {
        kept.withLock { kept in
            kept.append(request)
            return kept.count - 1
        }
    }

    func note(status: Int, at index: Int) { kept.withLock { $0[index].status = status } }
}
