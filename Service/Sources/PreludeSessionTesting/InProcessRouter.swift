package import Foundation
package import HTTPTypes
package import Hummingbird
import Logging
import NIOCore
package import SessionDomain
package import SessionHTTP
import Synchronization

/// Calls the service's router without a network.
package struct InProcessRouter: Sendable {
    private let responder: RouterResponder<ServiceRequestContext>
    private let messages: OutboxWorker<MessageOutbox>
    private let logger: Logger

    /// - Parameter mailbox: Adds the development routes that show it.
    package init(service: SessionService, edge: EdgeOptions, mailbox: Mailbox? = nil) {
        self.init(service: service, router: buildRouter(service: service, edge: edge, mailbox: mailbox))
    }

    /// - Parameter router: The routes of the service, to which a test may have added others.
    package init(service: SessionService, router: Router<ServiceRequestContext>) {
        responder = router.buildResponder()
        messages = service.messages
        var logger = Logger(label: "PreludeSessionTesting")
        // Without the line of each request: an app's tests print their own output.
        logger.logLevel = .warning
        self.logger = logger
    }

    /// The service's response, as it would be sent over the network. The messages that the request has queued are
    /// delivered when it returns.
    ///
    /// - Parameter peerAddress: The address that the request comes from.
    package func respond(
        to request: HTTPRequest, body: Data?, peerAddress: String = "127.0.0.1"
    ) async throws -> (HTTPResponse, Data) {
        let wakeCount = messages.wakeCount
        let response = try await responder.respond(
            to: Request(head: request, body: RequestBody(buffer: ByteBuffer(bytes: body ?? Data()))),
            context: ServiceRequestContext(logger: logger, peerAddress: peerAddress))
        if messages.wakeCount != wakeCount {
            // As in the service, a failing delivery fails no request, and the end of a caller's task stops none.
            try? await Task { try await messages.deliverDue() }.value
            // Another request may be delivering the message of this one.
            await messages.settle()
        }
        let collected = CollectedBody()
        try await response.body.write(CollectingWriter(body: collected))
        return (response.head, collected.data.withLock { $0 })
    }

    private final class CollectedBody: Sendable {
        let data = Mutex(Data())
    }

    private struct CollectingWriter: ResponseBodyWriter {
        let body: CollectedBody
        mutating func write(_ buffer: ByteBuffer) async throws {
            body.data.withLock { $0.append(contentsOf: buffer.readableBytesView) }
        }
        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}
