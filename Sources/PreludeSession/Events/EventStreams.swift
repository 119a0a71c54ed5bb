/// The streams that receive the events, or the states, of a session.
struct EventStreams<Element: Sendable> {
    /// How many elements a stream buffers. When it is full, the oldest one is dropped.
    let buffer: Int

    private var continuations: [Int: AsyncStream<Element>.Continuation] = [:]
    private var next = 0

    init(buffer: Int) { self.buffer = buffer }

    /// - Parameter onEnd: Called when the stream ends, with the number for `remove(_:)`.
    mutating func add(onEnd: @escaping @Sendable (Int) -> Void) -> AsyncStream<Element> {
        let number = next
        next += 1
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: .bufferingNewest(buffer))
        continuation.onTermination = { _ in onEnd(number) }
        continuations[number] = continuation
        return stream
    }

    /// Adds a stream that begins with an element.
    mutating func add(beginningWith first: Element, onEnd: @escaping @Sendable (Int) -> Void) -> AsyncStream<Element> {
        let stream = add(onEnd: onEnd)
        continuations[next - 1]?.yield(first)
        return stream
    }

    mutating func remove(_ number: Int) { continuations[number] = nil }

    func send(_ element: Element) {
        for continuation in continuations.values { continuation.yield(element) }
    }

    var count: Int { continuations.count }
}
