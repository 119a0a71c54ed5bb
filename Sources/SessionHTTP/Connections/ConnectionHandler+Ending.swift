import NIOCore

/// The end of the process.
@available(service, *)
extension ConnectionHandler {
    /// A request that has begun gets its response. Handlers behind do not know one that is held.
    func endAfterResponse(_ context: ChannelHandlerContext) {
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
