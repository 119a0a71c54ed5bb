import NIOCore

/// A keep-alive connection to a server. It performs one operation at a time.
final class Connection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let inbox: CodeInbox
    private var context: ChannelHandlerContext?
    private var reader = MessageReader()
    private var operation: (any Operation)?
    private var since: UInt64 = 0
    private var run: PhaseRun?

    init(_ inbox: CodeInbox) { self.inbox = inbox }

    var isOpen: Bool { context != nil }

    /// Sets what the connection performs in the next phase.
    func assign(_ operation: any Operation, in run: PhaseRun) {
        self.operation = operation
        self.run = run
    }

    /// Begins the operation.
    ///
    /// - Parameter since: The time from which its latency counts, in nanoseconds.
    /// - Returns: Whether there is something to send.
    func perform(since: UInt64) throws -> Bool {
        guard let request = try operation?.begin() else { return false }
        self.since = since
        send(request)
        return true
    }

    private func send(_ request: ByteBuffer) {
        guard let context else { return fail(status: 0, "the connection is closed") }
        context.writeAndFlush(wrapOutboundOut(request), promise: nil)
        // After all responses that have arrived, so that their latency does not contain this work.
        context.eventLoop.assumeIsolated().execute { self.attempt { try $0.prepare() } }
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        reader.append(unwrapInboundIn(data))
        attempt { operation in
            while let response = try reader.next() { handle(try operation.receive(response), response) }
        }
    }

    private func handle(_ step: Step, _ response: Message) {
        switch step {
        case .send(let request): send(request)
        case .done: run?.completed(self, operation?.name ?? "", since: since)
        case .failed: fail(status: response.status, response.bodyText)
        case .awaitCode(let number):
            inbox.take(for: number) { code in
                self.attempt { self.send(try $0.enter(code: code)) }
            }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        run?.lost(self)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func fail(status: Int, _ detail: String) { run?.failed(self, status: status, detail) }

    private func attempt(_ work: (any Operation) throws -> Void) {
        guard let operation else { return }
        do {
            try work(operation)
        } catch {
            run?.abort(error)
        }
    }
}
