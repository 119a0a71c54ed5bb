import NIOCore

/// The codes that the service has sent, by phone number. On the event loop of the generator only.
final class CodeInbox {
    private var codes: [String: String] = [:]
    private var waiting: [String: (String) -> Void] = [:]

    /// Passes the code to a caller, or keeps it until one asks.
    func deliver(_ code: String, to number: String) {
        if let receive = waiting.removeValue(forKey: number) {
            receive(code)
        } else {
            codes[number] = code
        }
    }

    func take(for number: String, _ receive: @escaping (String) -> Void) {
        if let code = codes.removeValue(forKey: number) {
            receive(code)
        } else {
            waiting[number] = receive
        }
    }

    func forgetAll() {
        codes = [:]
        waiting = [:]
    }
}

/// Plays the backend and the gateway that send SMS: accepts each message of the service and puts its code into the inbox.
final class PlayedBackend: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let inbox: CodeInbox
    private var reader = MessageReader()
    private static let accepted = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"

    init(_ inbox: CodeInbox) { self.inbox = inbox }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        reader.append(unwrapInboundIn(data))
        do {
            while let message = try reader.next() {
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: Self.accepted)), promise: nil)
                for route in SMSRoute.allCases {
                    guard let code = message.member(route.codeMember), let number = message.member(route.numberMember)
                    else { continue }
                    inbox.deliver(code, to: number)
                    break
                }
            }
        } catch {
            context.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
