/// Everybody who follows a session; a plain value of the engine.
struct EventStreams {
    /// Events that wait for a slow follower; older ones are dropped.
    static let buffer = 64

    private var continuations: [Int: AsyncStream<SessionEvent>.Continuation] = [:]
    private var next = 0

    /// - Parameter onEnd: Told when the follower stops, with the number to be removed.
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
