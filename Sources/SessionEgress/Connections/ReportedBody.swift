internal import NIOCore

/// The body of a request in one piece, which reports when a connection asks for it.
struct ReportedBody: AsyncSequence, Sendable {
    let chunk: ByteBuffer
    let report: @Sendable () -> Void

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var chunk: ByteBuffer?
        fileprivate let report: @Sendable () -> Void

        mutating func next() async -> ByteBuffer? {
            guard let chunk else { return nil }
            self.chunk = nil
            report()
            return chunk
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(chunk: chunk, report: report) }
}
