internal import Foundation

/// The body of a request, which reports when a connection asks for its bytes.
///
/// AsyncHTTPClient reads a collection of up to 4 MB on the event loop of the connection, after the head of the request. A
/// longer one is read in pieces, each with a report. For an `AsyncSequence` it would start a task on another thread.
struct ReportedBody: Collection, Sendable {
    let bytes: Data
    let report: @Sendable () -> Void

    var startIndex: Data.Index { bytes.startIndex }
    var endIndex: Data.Index { bytes.endIndex }
    var count: Int { bytes.count }

    subscript(index: Data.Index) -> UInt8 { bytes[index] }

    func index(after index: Data.Index) -> Data.Index { bytes.index(after: index) }

    func makeIterator() -> Data.Iterator {
        report()
        return bytes.makeIterator()
    }

    func withContiguousStorageIfAvailable<Result>(
        _ read: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        report()
        return try bytes.withContiguousStorageIfAvailable(read)
    }
}
