import Foundation
import SessionDomain
import Synchronization

/// The operators' backends, as a test says they answer; what was sent to them is kept.
final class FakeInternet: Egress {
    typealias Handler = @Sendable (EgressRequest) async throws(EgressError) -> EgressAnswer

    private struct State {
        var handlers: [String: Handler] = [:]
        var requests: [EgressRequest] = []
    }

    private let state = Mutex(State())

    var requests: [EgressRequest] { state.withLock { $0.requests } }

    /// Answers requests whose URL begins like this.
    func serve(_ prefix: String, _ handler: @escaping Handler) { state.withLock { $0.handlers[prefix] = handler } }

    func serve(_ prefix: String, json: String, status: Int = 200) {
        serve(prefix) { _ throws(EgressError) in EgressAnswer(status: status, body: Data(json.utf8)) }
    }

    func send(_ request: EgressRequest) async throws(EgressError) -> EgressAnswer {
        let handler = state.withLock { state in
            state.requests.append(request)
            return state.handlers.first { request.url.hasPrefix($0.key) }?.value
        }
        guard let handler else { throw .connectionFailed("nobody is there") }
        return try await handler(request)
    }

    func validate(url: String) throws(EgressError) {
        guard url.hasPrefix("https://") else { throw .refusedURL("must begin with https://") }
    }
}
