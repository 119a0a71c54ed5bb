import Foundation
import HTTPTypes
import PreludeSession
import PreludeSessionTesting
import Synchronization

/// Carries the SDK's requests to the real router without a network, and fails where a test says so.
final class InProcessTransport: SessionTransport {
    /// What happens to the next request for a path.
    enum Fault: Sendable {
        /// The request does not arrive.
        case lostRequest
        /// The service does its work, and its answer does not arrive.
        case lostAnswer
        /// Runs before the answer is handed over.
        case beforeAnswer(@Sendable () async throws -> Void)
    }

    struct Disconnected: Error {}

    private struct State {
        var faults: [(path: String, fault: Fault)] = []
        var isOffline = false
        var paths: [String] = []
    }

    private let router: InProcessRouter
    private let state = Mutex(State())

    init(router: InProcessRouter) { self.router = router }

    func fail(next path: String, with fault: Fault) { state.withLock { $0.faults.append((path, fault)) } }
    func setOffline(_ isOffline: Bool) { state.withLock { $0.isOffline = isOffline } }
    /// How many requests for a path were sent.
    func count(_ path: String) -> Int { state.withLock { $0.paths.filter { $0 == path }.count } }

    func send(
        _ request: HTTPRequest, body: Data?, timeout: TimeInterval
    ) async throws -> (HTTPResponse, Data) {
        let path = String(request.path?.prefix { $0 != "?" } ?? "")
        let fault = try state.withLock { state -> Fault? in
            state.paths.append(path)
            guard !state.isOffline else { throw PreludeSessionError.network(underlying: Disconnected()) }
            guard let index = state.faults.firstIndex(where: { $0.path == path }) else { return nil }
            return state.faults.remove(at: index).fault
        }
        if case .lostRequest = fault { throw PreludeSessionError.network(underlying: Disconnected()) }
        let answer = try await respond(request, body: body)
        switch fault {
        case .lostAnswer: throw PreludeSessionError.network(underlying: Disconnected())
        case .beforeAnswer(let work): try await work()
        case .lostRequest, nil: break
        }
        return answer
    }

    /// The service's answer, whatever the test says about faults.
    func respond(_ request: HTTPRequest, body: Data?) async throws -> (HTTPResponse, Data) {
        try await router.respond(to: request, body: body)
    }
}
