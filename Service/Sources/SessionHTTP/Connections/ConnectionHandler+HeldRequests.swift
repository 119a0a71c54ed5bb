import NIOCore
import NIOHTTP1
import SessionDomain

/// Requests that wait for their end, and those that never reach a route.
extension ConnectionHandler {
    /// The bytes of a body that are kept. A route rejects a longer body as soon as it is longer.
    private static var maximumHeld: Int { 64 * 1024 }
    /// Milliseconds that a health check waits for the database before it is answered with what is known.
    private static var healthPatience: Int64 { 60 }

    func receive(_ bytes: ByteBuffer, _ data: NIOAny, _ context: ChannelHandlerContext) {
        switch held {
        case .forRoute:
            // One buffer: a client can send each byte as a chunk of its own.
            heldBody.writeImmutableBuffer(bytes)
            guard heldBody.readableBytes > Self.maximumHeld else { return }
            if !forwardHeld(context) { answer(.tooManyRequests, context) }
        case .health: break
        case nil: context.fireChannelRead(data)
        }
    }

    /// Passes what is held to the routes. Returns `false` if the service has too many requests: then nothing is held.
    func forwardHeld(_ context: ChannelHandlerContext) -> Bool {
        guard case .forRoute(let head) = held else { return true }
        let body = heldBody
        dropHeld()
        let requestClass = RequestClass(isRead: head.method == .GET || head.method == .HEAD, target: head.uri)
        guard environment.work.admit(requestClass, on: ObjectIdentifier(context.channel)) else {
            environment.log.noteShed(requestClass, on: context.eventLoop)
            return false
        }
        context.fireChannelRead(Self.wrapInboundOut(.head(head)))
        if body.readableBytes > 0 { context.fireChannelRead(Self.wrapInboundOut(.body(body))) }
        return true
    }

    /// The client sends its body after that (RFC 9110 §10.1.1). A request is held until it is complete, so no route can
    /// write it.
    func writeContinue(_ context: ChannelHandlerContext) {
        let head = HTTPResponseHead(version: .http1_1, status: .continue)
        context.writeAndFlush(Self.wrapOutboundOut(.head(head)), promise: nil)
    }

    func dropHeld() {
        held = nil
        heldBody = ByteBuffer()
    }

    /// A request that this handler has rejected can end in the middle. That is no error of the request before it.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isClosing else { return }
        switch error {
        case HTTPParserError.headerOverflow: answer(.headersTooLarge, context)
        case is HTTPParserError: answer(.invalidRequest("the request is not valid HTTP/1.1"), context)
        default: context.fireErrorCaught(error)
        }
    }

    /// Answers on this event loop: a health check must not wait behind the tasks of requests.
    func answerHealth(_ path: HealthEndpoint.Path, _ context: ChannelHandlerContext) {
        guard let health = environment.health else { return }
        guard path != .live else { return answerOwn(health.answer(path), context) }
        let serial = phases.serial
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        let finish = { @Sendable in
            let (handler, context) = bound.value
            // Only the first of both calls finds the phase of this request.
            guard handler.phases.serial == serial, handler.place != nil, !handler.isClosing else { return }
            handler.answerOwn(health.answer(path), context)
        }
        let eventLoop = context.eventLoop
        guard !health.monitor.check({ eventLoop.execute(finish) }) else { return finish() }
        _ = eventLoop.scheduleTask(in: .milliseconds(Self.healthPatience), finish)
    }

    private func answerOwn(_ health: HealthAnswer, _ context: ChannelHandlerContext) {
        answerOwn(ConnectionAnswer(health, environment: environment.service), context)
    }

    /// A client that has sent nothing has no line. Browsers open connections that they may not need.
    func log(_ answer: ConnectionAnswer, _ context: ChannelHandlerContext) {
        if let received { environment.accessLog?.write(answer, to: received, on: context.channel) }
    }

    /// Says whether the connection ends with this response. HTTP/1.1 keeps it without the header.
    func addConnectionHeader(to head: inout HTTPResponseHead) {
        guard isLastRequest || mustSayKeepAlive else { return }
        head.headers.replaceOrAdd(name: "Connection", value: isLastRequest ? "close" : "keep-alive")
    }

    /// Answers a complete request without a route, and keeps the connection.
    func answerOwn(_ answer: ConnectionAnswer, _ context: ChannelHandlerContext) {
        log(answer, context)
        var head = answer.head
        addConnectionHeader(to: &head)
        context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
        if !isHead { context.write(Self.wrapOutboundOut(.body(.byteBuffer(answer.body))), promise: nil) }
        writeEnd(NIOAny(HTTPServerResponsePart.end(nil)), nil, context)
        context.flush()
    }
}
