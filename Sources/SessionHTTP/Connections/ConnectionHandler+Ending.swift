import NIOCore

/// The end of the process.
@available(service, *)
extension ConnectionHandler {
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
    }

    /// Gives the client as long to read as HTTP/2 does, in all. Otherwise one that reads slowly would keep the process for the
    /// two minutes of other responses, and one that stops now and then for ever.
    func limitReading(_ context: ChannelHandlerContext) {
        let end = drainEnd ?? context.eventLoop.now + .seconds(Int64(SecureConnectionHandler.drainTime))
        (drainEnd, deadline) = (end, end)
        schedule(context)
    }
}
