import NIOCore
import NIOHTTP1
import SessionDomain

/// Enforces the limits of one connection: its place, the deadline of each phase, and the form of each request.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// What the handlers of all connections share.
    struct Environment: Sendable {
        let limits: ConnectionLimits
        let connections: OpenConnections
        let log: LimitLog
        let service: ServiceEnvironment
        /// Bounds the requests of all connections that the service works on.
        var work = RequestsInWork(limit: .max)
        /// Answers health checks. `nil`: the routes do.
        var health: HealthEndpoint?
        var accessLog: ConnectionAccessLog?
    }

    /// A request that has not reached the routes.
    enum Held {
        /// A route gets it when it is complete, so a slow body takes no place from others.
        case forRoute(HTTPRequestHead)
        case health(HealthEndpoint.Path)
    }

    let environment: Environment
    let gate: RequestGate?
    var place: (id: UInt64, kind: ConnectionPlaces.Kind)?
    var phases = RequestPhases()
    var deadline: NIODeadline?
    private var armed: (phase: RequestPhases.Phase, serial: Int)?
    private var timer: (scheduled: Scheduled<Void>, at: NIODeadline)?
    /// Whether the last response is written. All that the client still sends is discarded.
    var isClosing = false
    /// Whether the connection ends with the response to the request that is read (RFC 9112 §9.3).
    var isLastRequest = false
    /// Whether a client of HTTP/1.0 has asked to keep the connection, and waits for the same header (RFC 9112 §C.2.2).
    var mustSayKeepAlive = false
    /// Whether the process ends, and this connection with the response to its request.
    var processEnds = false
    /// When a client must have read its response because the process ends.
    var drainEnd: NIODeadline?
    /// When a client must have sent the rest of its request because the process ends.
    var bodyEnd: NIODeadline?
    var isHead = false
    var held: Held?
    /// What has arrived of the body of a request for a route.
    var heldBody = ByteBuffer()
    /// The request that has no response yet.
    var received: ConnectionAccessLog.Received?
    /// Whether the client has sent anything.
    var hasReceivedBytes = false
    /// Whether a newer connection has this one's place.
    var isDisplaced = false

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

    /// A client that does not read keeps no place from others, although its requests wait for responses.
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if phases.phase == .responding, !isClosing, let place {
            if context.channel.isWritable {
                environment.connections.becomesBusy(place.id)
            } else {
                environment.connections.waits(place.id)
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
        guard place == nil else { return }
        place = environment.connections.open(on: context.eventLoop, close: displacement(context))
        guard place != nil else { return context.close(promise: nil) }
        arm(context)
    }

    private func end() {
        if let place { environment.connections.closed(place.id) }
        if isDisplaced { environment.connections.displacedLeft() }
        (place, isDisplaced) = (nil, false)
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
            receive(bytes, data, context)
            limitBody(context)
        case .end:
            phases.receivedEnd()
            if phases.hasCompleteRequest { gate?.close() }
            arm(context)
            switch held {
            case .health(let path):
                held = nil
                answerHealth(path, context)
            case .forRoute where !forwardHeld(context):
                answerOwn(ConnectionAnswer(.tooManyRequests, closes: false, environment: environment.service), context)
            case .forRoute, nil: context.fireChannelRead(data)
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
            guard place?.kind == .served || healthPath != nil else {
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

    func writeEnd(_ data: NIOAny, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
        phases.wroteResponse()
        received = nil
        arm(context)
        if processEnds { limitReading(context) }
        // Closing discards what the client has not read. So the time to read begins when all is sent.
        if isLastRequest { return linger(context, after: data, promise) }
        context.write(data, promise: promise)
        // A connection of the reserve has one request, so that the reserve is free for the next health check.
        if place?.kind == .reserved { return linger(context) }
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
    func linger(_ context: ChannelHandlerContext) {
        isClosing = true
        if let place { environment.connections.waits(place.id) }
        context.flush()
        context.close(mode: .output, promise: nil)
        gate?.discard()
        deadline = context.eventLoop.now + lingering
        schedule(context)
    }

    // MARK: Deadlines

    /// Starts the deadline of a new phase, and reports whether the client has to send or to read something.
    private func arm(_ context: ChannelHandlerContext) {
        guard phases.serial != armed?.serial, !isClosing, let place else { return }
        let isBusy = phases.phase == .responding && context.channel.isWritable
        // Further requests and responses change nothing while the client does not read.
        let continues = armed?.phase == .responding && !context.channel.isWritable
        armed = (continues ? .responding : phases.phase, phases.serial)
        guard !continues, !isDisplaced else { return }
        if isBusy {
            environment.connections.becomesBusy(place.id)
        } else {
            environment.connections.waits(place.id)
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
    func schedule(_ context: ChannelHandlerContext) {
        guard let deadline, place != nil else { return }
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
}
