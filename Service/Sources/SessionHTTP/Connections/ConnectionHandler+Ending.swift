import NIOCore

/// The end of the process.
extension ConnectionHandler {
    /// Seconds without a byte after which a client that has sent a part of a request is given up.
    private static var patience: Int64 { 2 }
    /// Seconds that a client has to send a request, and then to read its response. HTTP/2 gives as many.
    private static var drainTime: Int64 { Int64(SecureConnectionHandler.drainTime) }

    /// Returns whether the connection ends later, or has ended. Otherwise handlers behind end it.
    func processEnding(_ context: ChannelHandlerContext) -> Bool {
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
    func limitBody(_ context: ChannelHandlerContext) {
        guard let bodyEnd, held != nil, !isClosing, !phases.hasCompleteRequest else { return }
        deadline = min(bodyEnd, context.eventLoop.now + .seconds(Self.patience))
        schedule(context)
    }

    /// Gives the client as long to read as HTTP/2 does, in all. Otherwise one that reads slowly would keep the process for the
    /// two minutes of other responses, and one that stops now and then for ever.
    func limitReading(_ context: ChannelHandlerContext) {
        let end = drainEnd ?? context.eventLoop.now + .seconds(Self.drainTime)
        (drainEnd, deadline) = (end, end)
        schedule(context)
    }
}
