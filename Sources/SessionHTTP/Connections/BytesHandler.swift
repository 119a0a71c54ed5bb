import NIOCore

/// Reports that bytes have arrived. The decoder behind it reports only complete headers.
final class BytesHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    struct Arrived {}

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.fireUserInboundEventTriggered(Arrived())
        context.fireChannelRead(data)
    }
}
