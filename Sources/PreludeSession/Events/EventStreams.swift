/// The streams that receive the events of a session.
struct EventStreams {
    /// How many events a stream buffers. When it is full, the oldest event is dropped.
    static let buffer = 64

    private var continuations: [Int: AsyncStream<SessionEvent>.Continuation] = [:]
    private var next = 0

    /// - Parameter onEnd: Called when the stream ends, with the number for `remove(_:)`.
    mutating func add(onEnd: @escaping @Sendable (Int) -> Void) -> AsyncStream<SessionEvent> {
        let number = next
        next += 1
        let (stream, continuation) = AsyncStream.makeStream(
            of: SessionEvent.self, bufferingPolicy: .bufferingNewest(Self.buffer))
        continuation.onTermination = { _ in onEnd(number) }
        continuations[number] = continuation
        return stream
    }

    mutating func remove(_ number: Int) { continuations[number] = nil }

    func send(_ event: SessionEvent) {
        for continuation in continuations.values { continuation.yield(event) }
    }

    var count: Int { continuations.count }
}
