import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// Runs a closure on an event loop after the event loop has looked at its sockets.
///
/// An event loop runs what is due until nothing is left, also what became due meanwhile, and only then looks at its sockets.
/// So a task that is scheduled for a little later may run before that, and again and again. A pipe is one of these sockets:
/// what it delivers runs together with what the others have received.
final class SocketTurn: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private struct State {
        var pipe: (any Channel)?
        var closure: (@Sendable () -> Void)?
        var isClosed = false
    }

    /// It only has to be something.
    private static let byte = ByteBuffer(bytes: [0])

    private let state = Mutex(State())

    /// Opens a pipe that reads what it writes. There is none without a free file descriptor, or on event loops of other kinds.
    func open(on eventLoop: any EventLoop) {
        var ends: [CInt] = [0, 0]
        guard let bootstrap = NIOPipeBootstrap(validatingGroup: eventLoop), pipe(&ends) == 0 else { return }
        let (input, output) = (ends[0], ends[1])
        bootstrap
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(self) }
            }
            .takingOwnershipOfDescriptors(input: input, output: output)
            .whenFailure { _ in
                Foundation.close(input)
                Foundation.close(output)
            }
    }

    /// Runs the closure after the next look at the sockets. Only one can wait.
    ///
    /// - Returns: `false` without a pipe. The closure does not run then.
    func run(_ closure: @escaping @Sendable () -> Void) -> Bool {
        let pipe = state.withLock { state in
            if state.pipe != nil { state.closure = closure }
            return state.pipe
        }
        pipe?.writeAndFlush(Self.byte, promise: nil)
        return pipe != nil
    }

    func close() {
        let pipe = state.withLock { state in
            state.isClosed = true
            return state.pipe
        }
        pipe?.close(promise: nil)
    }

    func channelActive(context: ChannelHandlerContext) {
        let isClosed = state.withLock { state in
            state.pipe = context.channel
            return state.isClosed
        }
        if isClosed { context.close(promise: nil) }
    }

    /// Runs the closure that waits. Otherwise the jobs of this event loop would never run again.
    func channelInactive(context: ChannelHandlerContext) {
        state.withLock { $0.pipe = nil }
        if let closure = takeClosure() { context.eventLoop.execute(closure) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        takeClosure()?()
    }

    private func takeClosure() -> (@Sendable () -> Void)? {
        state.withLock { state in
            defer { state.closure = nil }
            return state.closure
        }
    }
}
