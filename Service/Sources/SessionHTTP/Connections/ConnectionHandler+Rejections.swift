import NIOCore
import NIOHTTP1
import SessionDomain

/// A request that a handler before `ConnectionHandler` has rejected. It is sent as an event instead of the request.
package struct RejectedRequest: Sendable {
    package enum Reason: Sendable, Equatable {
        case malformed(InvalidRequest)
        /// The connection has a place of the reserve, for health checks only.
        case tooManyConnections
    }

    let reason: Reason
    /// Whether the method is HEAD. Then the response has no body.
    let isHead: Bool

    package init(_ reason: Reason, isHead: Bool) {
        self.reason = reason
        self.isHead = isHead
    }
}

extension ConnectionHandler {
    /// Answers a request that does not reach this handler, as one that this handler rejects.
    func reject(_ request: RejectedRequest, _ context: ChannelHandlerContext) {
        isHead = request.isHead
        switch request.reason {
        case .malformed(let problem): answer(.invalidRequest(problem.text), context)
        case .tooManyConnections:
            environment.log.note(.onlyHealthChecks, on: context.eventLoop)
            answer(.tooManyConnections, context)
        }
    }

    /// Browsers open connections that they may not need: one that has sent nothing is not counted as slow.
    func endSlowHeader(_ context: ChannelHandlerContext) {
        if hasReceivedBytes || gate == nil { environment.log.note(.slowHeader, on: context.eventLoop) }
        answer(.tooSlow, context)
    }

    /// Writes a last response if no other one comes before it, and closes the connection.
    ///
    /// A client that has left gets none, and no line in the log: the decoder also rejects the part of a request that it has sent.
    func answer(_ refusal: WireRefusal, _ context: ChannelHandlerContext) {
        guard phases.canAnswer, context.channel.isActive else {
            isClosing = true
            gate?.discard()
            return context.close(promise: nil)
        }
        let answer = ConnectionAnswer(refusal, environment: environment.service)
        log(answer, context)
        context.write(Self.wrapOutboundOut(.head(answer.head)), promise: nil)
        if !isHead { context.write(Self.wrapOutboundOut(.body(.byteBuffer(answer.body))), promise: nil) }
        context.write(Self.wrapOutboundOut(.end(nil)), promise: nil)
        linger(context)
    }
}
