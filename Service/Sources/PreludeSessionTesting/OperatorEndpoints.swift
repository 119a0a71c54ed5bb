import Foundation
package import SessionDomain
import Synchronization

/// The HTTPS endpoints of operators that the service calls: hooks, webhooks and key sets. A test supplies the answers.
package final class OperatorEndpoints: Egress {
    package typealias Handler = @Sendable (EgressRequest) async throws(EgressError) -> EgressAnswer

    private struct State {
        var handlers: [String: Handler] = [:]
        var requests: [EgressRequest] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Every request of the service, oldest first.
    package var requests: [EgressRequest] { state.withLock { $0.requests } }

    /// Answers requests whose URL starts with a prefix.
    package func serve(_ prefix: String, _ handler: @escaping Handler) {
        state.withLock { $0.handlers[prefix] = handler }
    }

    package func serve(_ prefix: String, json: String, status: Int = 200) {
        serve(prefix) { _ throws(EgressError) in EgressAnswer(status: status, body: Data(json.utf8)) }
    }

    package func send(_ request: EgressRequest) async throws(EgressError) -> EgressAnswer {
        let handler = state.withLock { state in
            state.requests.append(request)
            return state.handlers.first { request.url.hasPrefix($0.key) }?.value
        }
        guard let handler else { throw .connectionFailed("the test serves no endpoint at this URL") }
        return try await handler(request)
    }

    package func validate(url: String) throws(EgressError) {
        guard url.hasPrefix("https://") else { throw .refusedURL("must begin with https://") }
    }
}
