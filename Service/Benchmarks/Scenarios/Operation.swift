import NIOCore

/// What a connection does after a response.
enum Step {
    case send(ByteBuffer)
    /// Waits for the code that the service sends to a number, and passes it to `Operation.enter(code:)`.
    case awaitCode(to: String)
    case done
    /// The response is not the expected one.
    case failed
}

/// A call of the protocol, or several that belong together. One connection performs it again and again.
protocol Operation: AnyObject {
    /// The name in the results. An operation that is a mix changes it.
    var name: String { get }
    /// Returns the first request; `nil` if the operation may not be performed again.
    func begin() throws -> ByteBuffer?
    func receive(_ response: Message) throws -> Step
    func enter(code: String) throws -> ByteBuffer
    /// Makes what the next request needs while the service works on this one.
    func prepare() throws
}

extension Operation {
    func enter(code: String) throws -> ByteBuffer { throw BenchmarkError("\(name) expects no code") }
    func prepare() throws {}
}
