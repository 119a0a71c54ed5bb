import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import SessionDomain

/// A whole request for the routes, which has a slot in work.
struct AdmittedRequest: Sendable {
    let head: HTTPRequestHead
    let body: ByteBuffer
    let requestClass: RequestClass
}

/// Gives each request of a connection to the routes, and writes their response. The last handler of a connection.
///
/// `ConnectionHandler` passes a request when it is complete, and the next one after the response. So no stream of parts and
/// no task of the connection lies between a request and its route (`Benchmarks/notes.md` has the effect). Each request is a
/// task of its own, because Swift frees the memory of a task when the task ends.
final class RouteHandler: ChannelInboundHandler {
    typealias InboundIn = AdmittedRequest
    typealias OutboundOut = HTTPServerResponsePart

    private let routes: ConnectionRoutes
    private var peerAddress: String?
    private var executor: EventLoopExecutor?
    /// The request that has no complete response yet, or the one before it.
    private(set) var task: Task<Void, Never>?
    /// Whether a request has no complete response.
    private var isResponding = false
    /// The end of a response, whose bytes before it the client reads slowly. `ConnectionHandler` does not learn that the response
    /// has ended, so it passes no further request, and its deadline for readers stays.
    private var waitingEnd: HTTPServerResponsePart?
    /// Responses that the system has not taken completely.
    private var unsent = 0
    /// Whether the connection ends when all responses are sent: the client sends no more, or the process ends.
    private var isEnding = false

    init(_ routes: ConnectionRoutes) { self.routes = routes }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let admitted = Self.unwrapInboundIn(data)
        isResponding = true
        unsent += 1
        guard let request = Request(admitted.head, body: admitted.body) else {
            routes.work.finish(admitted.requestClass)
            return context.close(promise: nil)
        }
        let peerAddress = self.peerAddress ?? context.channel.remoteAddress?.ipAddress ?? ""
        let executor = self.executor ?? routes.executors.executor(of: context.eventLoop)
        (self.peerAddress, self.executor) = (peerAddress, executor)
        let output = ResponseOutput(handler: NIOLoopBound((self, context), eventLoop: context.eventLoop))
        task = Task(executorPreference: executor) { [routes, requestClass = admitted.requestClass] in
            await routes.respond(to: request, of: requestClass, from: peerAddress, to: output)
        }
    }

    // MARK: Responses

    /// Writes parts of the response.
    ///
    /// - Parameter promise: Of parts without the end. It fails when the connection has ended.
    func write(
        _ parts: [HTTPServerResponsePart], _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?
    ) {
        guard isResponding, context.channel.isActive else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        for part in parts.dropLast() { context.write(Self.wrapOutboundOut(part), promise: nil) }
        guard let last = parts.last else { return }
        guard case .end = last else { return context.writeAndFlush(Self.wrapOutboundOut(last), promise: promise) }
        waitingEnd = last
        if !context.channel.isWritable { context.flush() }
        if context.channel.isWritable { writeEnd(context) }
    }

    private func writeEnd(_ context: ChannelHandlerContext) {
        guard let part = waitingEnd else { return }
        (waitingEnd, isResponding) = (nil, false)
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { [self] _ in
            unsent -= 1
            if isEnding, unsent == 0 { context.close(promise: nil) }
        }
        context.writeAndFlush(Self.wrapOutboundOut(part), promise: written)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { writeEnd(context) }
        context.fireChannelWritabilityChanged()
    }

    /// No response can be written, or not the rest.
    func abandon(_ context: ChannelHandlerContext) {
        if isResponding { context.close(promise: nil) }
    }

    // MARK: End

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent: end(context)
        case let event as ChannelEvent where event == .inputClosed: end(context)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    private func end(_ context: ChannelHandlerContext) {
        isEnding = true
        if unsent == 0 { context.close(promise: nil) }
    }

    /// The connection has failed. An error of the client's syntax does not get here.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// The way of a response from the task of its request to the connection.
struct ResponseOutput: Sendable {
    let handler: NIOLoopBound<(RouteHandler, ChannelHandlerContext)>

    private var eventLoop: any EventLoop { handler.eventLoop }

    /// Writes parts of the response without waiting for the client to read them.
    func write(_ parts: [HTTPServerResponsePart]) {
        run { handler, context in handler.write(parts, context, nil) }
    }

    /// Writes parts of the response. Returns when the system has taken them, so that a client that reads slowly slows the route.
    func send(_ parts: [HTTPServerResponsePart]) async throws {
        let promise = eventLoop.makePromise(of: Void.self)
        run { handler, context in handler.write(parts, context, promise) }
        try await promise.futureResult.get()
    }

    func abandon() {
        run { handler, context in handler.abandon(context) }
    }

    /// The task of a request usually runs on this event loop already.
    private func run(_ closure: @escaping @Sendable (RouteHandler, ChannelHandlerContext) -> Void) {
        if eventLoop.inEventLoop {
            closure(handler.value.0, handler.value.1)
        } else {
            eventLoop.execute { closure(handler.value.0, handler.value.1) }
        }
    }
}

/// The routes behind the connections of a listener.
struct ConnectionRoutes: Sendable {
    let responder: any HTTPResponder<ServiceRequestContext>
    /// The slot of a request is free when its response is computed: a client that reads slowly, or never, takes none.
    let work: RequestsInWork
    let logger: Logger
    let executors = EventLoopExecutors()

    /// Responds to an admitted request.
    func respond(
        to request: Request, of requestClass: RequestClass, from peerAddress: String, to output: ResponseOutput
    ) async {
        let response = await response(to: request, from: peerAddress)
        work.finish(requestClass)
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
