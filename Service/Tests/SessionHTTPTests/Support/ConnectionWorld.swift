import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import SessionDomain
import Synchronization
import Testing

@testable import SessionHTTP

/// Connections without sockets that share limits, and a clock that stands still.
struct ConnectionWorld {
    private let loop = EmbeddedEventLoop()
    private let environment: ConnectionHandler.Environment
    private let log = RecordedLines()

    var connections: OpenConnections { environment.connections }
    var work: RequestsInWork { environment.work }
    /// The message and count of each line of the log.
    var lines: [String] { log.lines.withLock { $0 } }
    /// What observers got, in order. A shed request has its class.
    var observedLimits: [String] { log.limits.withLock { $0 } }

    /// - Parameters:
    ///   - requests: The most requests in work.
    ///   - monitor: Answers health checks. `nil`: they pass, as all requests do.
    init(_ limits: ConnectionLimits, requests: Int = .max, monitor: HealthMonitor? = nil, showsReasons: Bool = false) {
        let recorder = log
        let limitLog = LimitLog(
            logger: Logger(label: "test") { _ in RecordingHandler(recorded: recorder) }, observer: recorder)
        let time = Timestamp(seconds: 1_800_000_000)
        environment = ConnectionHandler.Environment(
            limits: limits, connections: OpenConnections(limits: limits, log: limitLog), log: limitLog,
            service: ServiceEnvironment(
                now: { time }, randomBytes: { [UInt8](repeating: 0, count: $0) }, sleep: { _ in }),
            work: RequestsInWork(limit: requests),
            health: monitor.map { HealthEndpoint(monitor: $0, showsReasons: showsReasons) })
    }

    func connect() throws -> TestConnection {
        let connection = try TestConnection(loop: loop, environment)
        loop.run()
        return connection
    }

    /// A connection with TLS, without the decryption.
    func connectSecure() throws -> (channel: EmbeddedChannel, handler: SecureConnectionHandler) {
        let handler = SecureConnectionHandler(environment)
        let channel = EmbeddedChannel(handler: handler, loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 443)).wait()
        loop.run()
        return (channel, handler)
    }

    func advance(_ seconds: Int64) { loop.advanceTime(by: .seconds(seconds)) }

    func advance(milliseconds: Int64) { loop.advanceTime(by: .milliseconds(milliseconds)) }
}

/// One connection with the decoder of HTTP/1.1.
struct TestConnection {
    let channel: EmbeddedChannel
    private let reads = ReadCounter()

    init(loop: EmbeddedEventLoop, _ environment: ConnectionHandler.Environment) throws {
        channel = EmbeddedChannel(loop: loop)
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withPipeliningAssistance: false, withErrorHandling: false)
        try LimitedChannel.addHandlers(to: channel, environment)
        try channel.pipeline.syncOperations.addHandler(reads, position: .first)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
    }

    var isOpen: Bool { channel.isActive }

    /// Asks for bytes, and returns whether the socket would be read.
    func read() -> Bool {
        let before = reads.count
        channel.read()
        return reads.count > before
    }

    /// How often the socket was read.
    var readCount: Int { reads.count }

    /// Sets whether the system accepts what the service writes. It stops when the client does not read.
    func setReading(_ isReading: Bool) {
        channel.isWritable = isReading
        channel.pipeline.fireChannelWritabilityChanged()
    }

    /// The client sends no more, and can receive.
    func closeInput() { channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }

    /// The process ends.
    func quiesce() { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }

    /// The client closes the connection.
    func close() {
        channel.close(promise: nil)
        channel.embeddedEventLoop.run()
    }

    func send(_ text: String) throws {
        guard isOpen else { return }
        _ = try channel.writeInbound(ByteBuffer(string: text))
        channel.embeddedEventLoop.run()
    }

    /// The targets of the requests that passed since the last call.
    var requests: [String] {
        var targets: [String] = []
        while let request = try? channel.readInbound(as: AdmittedRequest.self) { targets.append(request.head.uri) }
        return targets
    }

    func respond() throws {
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["content-length": "0"])
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
        channel.embeddedEventLoop.run()
    }

    /// Begins a response with a body of unknown length.
    func begin() {
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["transfer-encoding": "chunked"])
        channel.writeAndFlush(HTTPServerResponsePart.head(head), promise: nil)
        channel.embeddedEventLoop.run()
    }

    func write(_ text: String) {
        channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: text))), promise: nil)
        channel.embeddedEventLoop.run()
    }

    /// The bytes that the client received since the last call.
    func received() throws -> String {
        var text = ""
        while let part = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: part) }
        return text
    }
}

private final class ReadCounter: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    private(set) var count = 0

    func read(context: ChannelHandlerContext) {
        count += 1
        context.read()
    }
}

private final class RecordedLines: ServiceObserver {
    let lines = Mutex<[String]>([])
    let limits = Mutex<[String]>([])

    func observe(_ occurrence: Occurrence) {
        switch occurrence {
        case .connectionLimit(let limit): limits.withLock { $0.append(limit.rawValue) }
        case .requestShed(let requestClass): limits.withLock { $0.append("shed \(requestClass)") }
        default: break
        }
    }
}

private struct RecordingHandler: LogHandler {
    let recorded: RecordedLines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        recorded.lines.withLock { $0.append("\(event.message) \(event.metadata?["count"] ?? "")") }
    }
}
