import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1

/// The routes behind the connections of a listener.
struct ConnectionRoutes: Sendable {
    let responder: any HTTPResponder<ServiceRequestContext>
    /// The place of a request is free when its response is computed: a client that reads slowly, or never, takes none.
    let work: RequestsInWork
    let logger: Logger
    let executors = EventLoopExecutors()

    /// Responds to a request whose place is taken.
    ///
    /// - Parameter connection: The connection, for `RequestsInWork`.
    func respond(
        to request: Request, from peerAddress: String, on connection: ObjectIdentifier, to output: ResponseOutput
    ) async {
        let response = await response(to: request, from: peerAddress)
        work.finish(on: connection)
        let head = HTTPServerResponsePart.head(HTTPResponseHead(response))
        do {
            try await response.body.write(ResponseStream(head: head, length: response.body.contentLength, to: output))
        } catch {
            logger.debug("a response cannot be written", metadata: ["error": "\(error)"])
            output.abandon()
        }
    }

    private func response(to request: Request, from peerAddress: String) async -> Response {
        do {
            return try await responder.respond(
                to: request, context: ServiceRequestContext(logger: logger, peerAddress: peerAddress))
        } catch {
            // `RequestMiddleware` has a response for each error of a route.
            logger.error("request failed", metadata: ["error": "\(error)"])
            return Response(status: .internalServerError)
        }
    }
}

/// The body of a response. One that is a single buffer is written together with the head.
private final class ResponseStream: ResponseBodyWriter {
    private let length: Int?
    private let output: ResponseOutput
    /// What is not written yet, with the head first.
    private var parts: [HTTPServerResponsePart] = []

    init(head: HTTPServerResponsePart, length: Int?, to output: ResponseOutput) {
        (self.length, self.output) = (length, output)
        parts.reserveCapacity(3)
        parts.append(head)
    }

    func write(_ buffer: ByteBuffer) async throws {
        parts.append(.body(.byteBuffer(buffer)))
        if buffer.readableBytes == length { return }
        defer { parts = [] }
        try await output.send(parts)
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {
        output.write(parts + [.end(trailingHeaders.map { HTTPHeaders($0.map { ($0.name.rawName, $0.value) }) })])
    }
}

extension HTTPResponseHead {
    fileprivate init(_ response: Response) {
        self.init(
            version: .http1_1,
            status: HTTPResponseStatus(
                statusCode: response.status.code, reasonPhrase: response.status.reasonPhrase),
            headers: HTTPHeaders(response.headers.map { ($0.name.rawName, $0.value) }))
    }
}
