import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1

/// Gives each request of a connection to the routes, and writes their response. The last handler of a connection.
///
/// `ConnectionHandler` passes a request when it is complete, and the next one after the response. So no stream of parts and
/// no task of the connection lies between a request and its route (`docs/hot-path.md` has the effect). Each request is a
/// task of its own, because Swift frees the memory of a task when the task ends.
final class RouteHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let routes: ConnectionRoutes
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()
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
        switch Self.unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body(var bytes):
            // Of a request that is too large, the rest has no effect.
            guard head != nil else { return }
            if body.readableBytes == 0 { body = bytes } else { body.writeBuffer(&bytes) }
            if body.readableBytes > Request.maximumBody { respond(context) }
        case .end: respond(context)
        }
    }

    private func respond(_ context: ChannelHandlerContext) {
        guard let head else { return }
        let received = body
        (self.head, body, isResponding) = (nil, ByteBuffer(), true)
        unsent += 1
        let channel = context.channel
        guard let request = Request(head, body: received) else {
            routes.work.finish(on: ObjectIdentifier(channel))
            return context.close(promise: nil)
        }
        let peerAddress = self.peerAddress ?? channel.remoteAddress?.ipAddress ?? ""
        let executor = self.executor ?? routes.executors.executor(of: context.eventLoop)
        (self.peerAddress, self.executor) = (peerAddress, executor)
        let output = ResponseOutput(handler: NIOLoopBound((self, context), eventLoop: context.eventLoop))
        task = Task(executorPreference: executor) { [routes] in
            await routes.respond(to: request, from: peerAddress, on: ObjectIdentifier(channel), to: output)
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
