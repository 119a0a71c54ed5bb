import Hummingbird
import NIOCore
import NIOHTTP1
import SessionDomain

/// Enforces the limits of one connection: its slot, the deadline of each phase, and the form of each request.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = AdmittedRequest
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// A request that has not reached the routes.
    private enum Held {
        /// A route gets it when it is complete, so a slow body takes no slot from others; or as soon as its body is too long,
        /// which the route rejects.
        case forRoute(HTTPRequestHead)
        case health(HealthEndpoint.Path)
    }

    /// Milliseconds that a health check waits for the database before it is answered with what is known.
    private static let healthPatience: Int64 = 60
    /// Seconds without a byte after which a client that has sent a part of a request is given up.
    private static let patience: Int64 = 2
    /// Seconds that a client has to send a request, and then to read its response. HTTP/2 gives as many.
    private static let drainTime = Int64(SecureConnectionHandler.drainTime)
    /// The time of one look at the socket, and of reading the answer.
    private static let grace = TimeAmount.milliseconds(100)

    private let environment: Environment
    private let gate: RequestGate?
    private var slot: (id: UInt64, kind: ConnectionSlots.Kind)?
    private var phases = RequestPhases()
    private var deadline: NIODeadline?
    private var armed: (phase: RequestPhases.Phase, serial: Int)?
    private var timer: (scheduled: Scheduled<Void>, at: NIODeadline)?
    /// Whether the last response is written. All that the client still sends is discarded.
    private var isClosing = false
    /// Whether the connection ends with the response to the request that is read (RFC 9112 §9.3).
    private var isLastRequest = false
    /// Whether a client of HTTP/1.0 has asked to keep the connection, and waits for the same header (RFC 9112 §C.2.2).
    private var mustSayKeepAlive = false
    /// Whether the process ends, and this connection with the response to its request.
    private var processEnds = false
    /// When a client must have read its response because the process ends.
    private var drainEnd: NIODeadline?
    /// When a client must have sent the rest of its request because the process ends.
    private var bodyEnd: NIODeadline?
    private var isHead = false
    private var held: Held?
    /// What has arrived of the body of a request for a route.
    private var heldBody = ByteBuffer()
    /// The request that has no response yet.
    private var received: ConnectionAccessLog.Received?
    /// Whether the client has sent anything.
    private var hasReceivedBytes = false
    /// Whether a newer connection has this one's slot.
    private var isDisplaced = false

    /// - Parameter gate: The handler in front of the decoder of this connection. `nil` for a request of HTTP/2.
    init(_ environment: Environment, gate: RequestGate?) {
        self.environment = environment
        self.gate = gate
    }

    // MARK: Connection

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    /// A client that does not read keeps no slot from others, although its requests wait for responses.
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if phases.phase == .responding, !isClosing, let slot {
            if context.channel.isWritable {
                environment.connections.becomesBusy(slot.id)
            } else {
                environment.connections.waits(slot.id)
                if processEnds { limitReading(context) }
            }
        }
        if context.channel.isWritable, armed?.phase != phases.phase {
            armed = nil
            arm(context)
        }
        context.fireChannelWritabilityChanged()
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard slot == nil else { return }
        slot = environment.connections.open(on: context.eventLoop, close: displacement(context))
        guard slot != nil else { return context.close(promise: nil) }
        arm(context)
    }

    private func end() {
        if let slot { environment.connections.closed(slot.id) }
        if isDisplaced { environment.connections.displacedLeft() }
        (slot, isDisplaced) = (nil, false)
        timer?.scheduled.cancel()
        timer = nil
        dropHeld()
    }

    // MARK: Requests

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is RequestGate.Arrived {
            phases.receivedBytes()
            hasReceivedBytes = true
            if received == nil { received = environment.accessLog?.begin() }
            arm(context)
            return limitBody(context)
        }
        if let request = event as? RejectedRequest { return reject(request, context) }
        if event is ChannelShouldQuiesceEvent, processEnding(context) { return }
        if case .some(.inputClosed) = event as? ChannelEvent {
            if isClosing { return context.close(promise: nil) }
            // The client may still read. Handlers behind do not know a request that is held, such as a health check.
            if gate != nil, phases.phase == .responding {
                isLastRequest = true
                return
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        switch Self.unwrapInboundIn(data) {
        case .head(let head): receive(head, context)
        case .body(let bytes):
            receive(bytes, context)
            limitBody(context)
        case .end:
            phases.receivedEnd()
            if phases.hasCompleteRequest { gate?.close() }
            arm(context)
            switch held {
            case .health(let path):
                held = nil
                answerHealth(path, context)
            case .forRoute(let head):
                guard !admit(head, context) else { return }
                answerOwn(
                    ConnectionResponse(.tooManyRequests, closes: false, environment: environment.service), context)
            case nil: break
            }
        }
    }

    private func receive(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        isHead = head.method == .HEAD
        if received == nil { received = environment.accessLog?.begin() }
        received?.head = head
        do throws(Refusal) {
            let head = try RequestTarget.normalized(head)
            let healthPath = HealthEndpoint.Path(target: head.uri)
            guard slot?.kind == .served || healthPath != nil else {
                environment.log.note(.onlyHealthChecks, on: context.eventLoop)
                return answer(.tooManyConnections, context)
            }
            phases.receivedHead()
            isLastRequest = head.isLast
            mustSayKeepAlive = !isLastRequest && head.version == .http1_0
            gate?.expectBody(of: head.headers.first(name: "content-length").flatMap(Int.init) ?? 0)
            arm(context)
            if let healthPath, environment.health != nil, head.method == .GET || isHead {
                held = .health(healthPath)
            } else {
                held = .forRoute(head)
            }
            if head.expectsContinue { writeContinue(context) }
        } catch {
            answer(.invalidRequest(error.message), context)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isClosing else {
            promise?.fail(ChannelError.outputClosed)
            return
        }
        switch Self.unwrapOutboundIn(data) {
        case .head(var head) where isLastRequest || mustSayKeepAlive:
            addConnectionHeader(to: &head)
            context.write(Self.wrapOutboundOut(.head(head)), promise: promise)
        case .end: writeEnd(data, promise, context)
        default:
            if processEnds { limitReading(context) }
            context.write(data, promise: promise)
        }
    }

    private func writeEnd(_ data: NIOAny, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
        phases.wroteResponse()
        received = nil
        arm(context)
        if processEnds { limitReading(context) }
        // Closing discards what the client has not read. So the time to read begins when all is sent.
        if isLastRequest { return linger(context, after: data, promise) }
        context.write(data, promise: promise)
        // A connection of the reserve has one request, so that the reserve is free for the next health check.
        if slot?.kind == .reserved { return linger(context) }
        if !phases.hasCompleteRequest { gate?.open() }
    }

    private func linger(_ context: ChannelHandlerContext, after data: NIOAny, _ promise: EventLoopPromise<Void>?) {
        let written = promise ?? context.eventLoop.makePromise()
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        written.futureResult.whenSuccess {
            let (handler, context) = bound.value
            if !handler.isClosing { handler.linger(context) }
        }
        context.writeAndFlush(data, promise: written)
    }

    /// Sends what is written, and closes when the client does, or soon after.
    private func linger(_ context: ChannelHandlerContext) {
        isClosing = true
        if let slot { environment.connections.waits(slot.id) }
        context.flush()
        context.close(mode: .output, promise: nil)
        gate?.discard()
        deadline = context.eventLoop.now + lingering
        schedule(context)
    }

    // MARK: Deadlines

    /// Starts the deadline of a new phase, and reports whether the client has to send or to read something.
    private func arm(_ context: ChannelHandlerContext) {
        guard phases.serial != armed?.serial, !isClosing, let slot else { return }
        let isBusy = phases.phase == .responding && context.channel.isWritable
        // Further requests and responses change nothing while the client does not read.
        let continues = armed?.phase == .responding && !context.channel.isWritable
        armed = (continues ? .responding : phases.phase, phases.serial)
        guard !continues, !isDisplaced else { return }
        if isBusy {
            environment.connections.becomesBusy(slot.id)
        } else {
            environment.connections.waits(slot.id)
        }
        deadline = context.eventLoop.now + .seconds(Int64(seconds(of: phases.phase)))
        schedule(context)
    }

    private func seconds(of phase: RequestPhases.Phase) -> Int {
        switch phase {
        case .header: environment.limits.headerTimeout
        case .body: environment.limits.bodyTimeout
        case .responding: environment.limits.responseTimeout
        case .idle: environment.limits.idleTimeout
        }
    }

    /// Schedules a timer unless one fires before the deadline: then that one is scheduled again.
    private func schedule(_ context: ChannelHandlerContext) {
        guard let deadline, slot != nil else { return }
        if let timer, timer.at <= deadline { return }
        timer?.scheduled.cancel()
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        let scheduled = context.eventLoop.scheduleTask(deadline: deadline) {
            let (handler, context) = bound.value
            handler.timerFired(context)
        }
        timer = (scheduled, deadline)
    }

    private func timerFired(_ context: ChannelHandlerContext) {
        timer = nil
        guard let deadline else { return }
        guard context.eventLoop.now >= deadline else { return schedule(context) }
        self.deadline = nil
        guard !isClosing, !isDisplaced else { return context.close(promise: nil) }
        switch armed?.phase ?? phases.phase {
        case .idle: context.close(promise: nil)
        case .header: endSlowHeader(context)
        case .body:
            if !processEnds { environment.log.note(.slowBody, on: context.eventLoop) }
            answer(.tooSlow, context)
        case .responding:
            environment.log.note(.slowReader, on: context.eventLoop)
            context.close(promise: nil)
        }
    }

    // MARK: Requests that wait for their end

    /// The rest of a body that is too long has no effect.
    private func receive(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        guard case .forRoute(let head) = held else { return }
        // One buffer: a client can send each byte as a chunk of its own.
        heldBody.writeImmutableBuffer(bytes)
        guard heldBody.readableBytes > Request.maximumBody else { return }
        if !admit(head, context) { answer(.tooManyRequests, context) }
    }

    /// Passes what is held to the routes. Returns `false` if the service has too many requests: then nothing is held.
    private func admit(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) -> Bool {
        let body = heldBody
        dropHeld()
        let requestClass = RequestClass(isRead: head.method == .GET || head.method == .HEAD, target: head.uri)
        guard environment.work.admit(requestClass) else {
            environment.log.noteShed(requestClass, on: context.eventLoop)
            return false
        }
        let request = AdmittedRequest(head: head, body: body, requestClass: requestClass)
        context.fireChannelRead(Self.wrapInboundOut(request))
        return true
    }

    /// The client sends its body after that (RFC 9110 §10.1.1). A request is held until it is complete, so no route can
    /// write it.
    private func writeContinue(_ context: ChannelHandlerContext) {
        let head = HTTPResponseHead(version: .http1_1, status: .continue)
        context.writeAndFlush(Self.wrapOutboundOut(.head(head)), promise: nil)
    }

    private func dropHeld() {
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
    private func answerHealth(_ path: HealthEndpoint.Path, _ context: ChannelHandlerContext) {
        guard let health = environment.health else { return }
        guard path != .live else { return answerOwn(health.answer(path), context) }
        let serial = phases.serial
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        let finish = { @Sendable in
            let (handler, context) = bound.value
            // Only the first of both calls finds the phase of this request.
            guard handler.phases.serial == serial, handler.slot != nil, !handler.isClosing else { return }
            handler.answerOwn(health.answer(path), context)
        }
        let eventLoop = context.eventLoop
        guard !health.monitor.check({ eventLoop.execute(finish) }) else { return finish() }
        _ = eventLoop.scheduleTask(in: .milliseconds(Self.healthPatience), finish)
    }

    private func answerOwn(_ health: HealthResponse, _ context: ChannelHandlerContext) {
        answerOwn(ConnectionResponse(health, environment: environment.service), context)
    }

    /// A client that has sent nothing has no line. Browsers open connections that they may not need.
    private func log(_ answer: ConnectionResponse, _ context: ChannelHandlerContext) {
        if let received { environment.accessLog?.write(answer, to: received, on: context.channel) }
    }

    /// Says whether the connection ends with this response. HTTP/1.1 keeps it without the header.
    private func addConnectionHeader(to head: inout HTTPResponseHead) {
        guard isLastRequest || mustSayKeepAlive else { return }
        head.headers.replaceOrAdd(name: "Connection", value: isLastRequest ? "close" : "keep-alive")
    }

    /// Answers a complete request without a route, and keeps the connection.
    private func answerOwn(_ answer: ConnectionResponse, _ context: ChannelHandlerContext) {
        log(answer, context)
        var head = answer.head
        addConnectionHeader(to: &head)
        context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
        if !isHead { context.write(Self.wrapOutboundOut(.body(.byteBuffer(answer.body))), promise: nil) }
        writeEnd(NIOAny(HTTPServerResponsePart.end(nil)), nil, context)
        context.flush()
    }

    // MARK: Rejections

    /// Answers a request that does not reach this handler, as one that this handler rejects.
    private func reject(_ request: RejectedRequest, _ context: ChannelHandlerContext) {
        isHead = request.isHead
        switch request.reason {
        case .malformed(let problem): answer(.invalidRequest(problem.text), context)
        case .tooManyConnections:
            environment.log.note(.onlyHealthChecks, on: context.eventLoop)
            answer(.tooManyConnections, context)
        }
    }

    /// Browsers open connections that they may not need: one that has sent nothing is not counted as slow.
    private func endSlowHeader(_ context: ChannelHandlerContext) {
        if hasReceivedBytes || gate == nil { environment.log.note(.slowHeader, on: context.eventLoop) }
        answer(.tooSlow, context)
    }

    /// Writes a last response if no other one comes before it, and closes the connection.
    ///
    /// A client that has left gets none, and no line in the log: the decoder also rejects the part of a request that it has sent.
    private func answer(_ refusal: WireRefusal, _ context: ChannelHandlerContext) {
        guard phases.canAnswer, context.channel.isActive else {
            isClosing = true
            gate?.discard()
            return context.close(promise: nil)
        }
        let answer = ConnectionResponse(refusal, environment: environment.service)
        log(answer, context)
        context.write(Self.wrapOutboundOut(.head(answer.head)), promise: nil)
        if !isHead { context.write(Self.wrapOutboundOut(.body(.byteBuffer(answer.body))), promise: nil) }
        context.write(Self.wrapOutboundOut(.end(nil)), promise: nil)
        linger(context)
    }

    // MARK: Displacement

    /// In which a client can read the last response. Closing at once would discard it if input is unread.
    private var lingering: TimeAmount { isDisplaced ? Self.grace : .seconds(2) }

    /// Closes the connection when another one needs its slot. Can be called on any thread.
    private func displacement(_ context: ChannelHandlerContext) -> @Sendable () -> Void {
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        return {
            eventLoop.execute {
                let (handler, context) = bound.value
                handler.leavePlace(context)
            }
        }
    }

    /// A connection that waits for its client, as far as the service knows. But a busy event loop may not have looked at a new
    /// connection yet: its request can be there. Closing it then would reset the connection without an answer. So it gets the time
    /// of one look, as a connection of the reserve does: a health check is answered, another request is asked to come again.
    private func leavePlace(_ context: ChannelHandlerContext) {
        guard slot != nil, !hasReceivedBytes, environment.connections.displace() else {
            return context.close(promise: nil)
        }
        isDisplaced = true
        slot?.kind = .reserved
        deadline = context.eventLoop.now + Self.grace
        schedule(context)
    }

    // MARK: End of the process

    /// Returns whether the connection ends later, or has ended. Otherwise handlers behind end it.
    private func processEnding(_ context: ChannelHandlerContext) -> Bool {
        if phases.isAnsweredEarly {
            // The client need not send the rest of the body.
            linger(context)
        } else if phases.phase == .body || phases.phase == .responding {
            endAfterResponse(context)
        } else {
            // For what is written and not sent.
            limitReading(context)
            return false
        }
        return true
    }

    /// A request that has begun gets its response. Handlers behind do not know one that is held.
    private func endAfterResponse(_ context: ChannelHandlerContext) {
        (isLastRequest, processEnds) = (true, true)
        if !context.channel.isWritable { limitReading(context) }
        guard bodyEnd == nil, phases.phase == .body else { return }
        let end = context.eventLoop.now + .seconds(Self.drainTime)
        bodyEnd = deadline.map { min($0, end) } ?? end
        limitBody(context)
    }

    /// Gives up a client that has stopped in the middle of a request. The request has reached no route, so the client can send it
    /// to another process. One that is still sending is not cut off before the deadline of the body, or ten seconds in all.
    private func limitBody(_ context: ChannelHandlerContext) {
        guard let bodyEnd, held != nil, !isClosing, !phases.hasCompleteRequest else { return }
        deadline = min(bodyEnd, context.eventLoop.now + .seconds(Self.patience))
        schedule(context)
    }

    /// Gives the client as long to read as HTTP/2 does, in all. Otherwise one that reads slowly would keep the process for the
    /// two minutes of other responses, and one that stops now and then for ever.
    private func limitReading(_ context: ChannelHandlerContext) {
        let end = drainEnd ?? context.eventLoop.now + .seconds(Self.drainTime)
        (drainEnd, deadline) = (end, end)
        schedule(context)
    }
}
