import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import PreludeSession
import SessionHTTP
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

    private let responder: RouterResponder<AnonymousContext>
    private let state = Mutex(State())

    init(responder: RouterResponder<AnonymousContext>) { self.responder = responder }

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

    /// The service's answer, as it would go over the wire.
    func respond(_ request: HTTPRequest, body: Data?) async throws -> (HTTPResponse, Data) {
        let response = try await responder.respond(
            to: Request(head: request, body: RequestBody(buffer: ByteBuffer(bytes: body ?? Data()))),
            context: AnonymousContext(logger: Logger(label: "test"), peerAddress: "127.0.0.1"))
        let collector = Collector()
        try await response.body.write(CollectingWriter(collector: collector))
        return (response.head, collector.data.withLock { $0 })
    }

    private final class Collector: Sendable {
        let data = Mutex(Data())
    }

    private struct CollectingWriter: ResponseBodyWriter {
        let collector: Collector
        mutating func write(_ buffer: ByteBuffer) async throws {
            collector.data.withLock { $0.append(contentsOf: buffer.readableBytesView) }
        }
        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}
