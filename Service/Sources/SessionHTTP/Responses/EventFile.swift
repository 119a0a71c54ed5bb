package import NIOCore
package import SessionDomain

/// The bytes of a file that contains events. Only one page of events is in memory.
package struct EventFile: AsyncSequence, Sendable {
    package typealias Element = ByteBuffer

    private let pages: EventPages
    private let begin: String
    private let end: String
    private let separator: String
    private let text: @Sendable (Event) throws -> String

    /// - Parameters:
    ///   - separator: Between two events.
    ///   - text: Writes one event.
    package init(
        _ pages: EventPages, begin: String = "", separator: String = "", end: String = "",
        text: @escaping @Sendable (Event) throws -> String
    ) {
        self.pages = pages
        self.begin = begin
        self.end = end
        self.separator = separator
        self.text = text
    }

    package func makeAsyncIterator() -> Iterator { Iterator(file: self, pages: pages) }

    package struct Iterator: AsyncIteratorProtocol {
        private enum Place { case begin, firstPage, nextPage, end }

        private let file: EventFile
        private var pages: EventPages
        private var place = Place.begin

        fileprivate init(file: EventFile, pages: EventPages) {
            self.file = file
            self.pages = pages
        }

        package mutating func next() async throws -> ByteBuffer? {
            while place != .end {
                // An empty chunk would end the response (RFC 9112 §7.1).
                if let part = try await part(), !part.isEmpty { return ByteBuffer(string: part) }
            }
            return nil
        }

        private mutating func part() async throws -> String? {
            switch place {
            case .end: return nil
            case .begin:
                place = .firstPage
                return file.begin
            case .firstPage, .nextPage:
                let events = try await pages.next()
                guard !events.isEmpty else {
                    place = .end
                    return file.end
                }
                let texts = try events.map(file.text).joined(separator: file.separator)
                let isFirst = place == .firstPage
                place = .nextPage
                return isFirst ? texts : file.separator + texts
            }
        }
    }
}
