import Foundation
import HTTPTypes
package import Hummingbird
package import NIOCore
package import SessionDomain
import SessionTokens

extension Response {
    /// A JSON response with sorted keys.
    static func json(_ body: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        json(try TokenJSON.encode(body), status: status)
    }

    /// A JSON response that is written without an encoder, for calls that clients make all the time.
    static func json(members: [String: JSONValue]) -> Response { json(TokenJSON.write(members), status: .ok) }

    private static func json(_ data: Data, status: HTTPResponse.Status) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
    }

    static var noContent: Response { Response(status: .noContent) }
}

extension Response {
    /// A file that browsers store under a name.
    package static func file(_ name: String, type: String, _ content: EventFile) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: type, .contentDisposition: "attachment; filename=\"\(name)\""],
            body: ResponseBody(asyncSequence: content))
    }

    /// The file with all that is stored about a user.
    package static func file(of export: UserExport) throws -> Response {
        let json = try FileJSON.text(UserExportBody(export))
        // Names are sorted, so the list of events comes first, and is empty.
        let begin = #"{"events":["#
        guard json.hasPrefix(begin + "]") else { preconditionFailure("the export does not begin with its events") }
        let content = EventFile(
            export.events, begin: begin, separator: ",", end: String(json.dropFirst(begin.count)),
            text: FileJSON.text)
        return .file(export.user.id + ".json", type: "application/json", content)
    }
}

/// JSON with sorted names, as in other responses.
package enum FileJSON {
    /// An event as the management API lists it.
    @Sendable package static func text(_ event: Event) throws -> String { try text(AuditedEventBody(event)) }

    static func text(_ body: some Encodable) throws -> String {
        // Many readers end a line at these, which JSON allows in texts.
        ["\u{85}", "\u{2028}", "\u{2029}"].reduce(String(decoding: try TokenJSON.encode(body), as: UTF8.self)) {
            $0.replacing($1, with: $1 == "\u{85}" ? "\\u0085" : $1 == "\u{2028}" ? "\\u2028" : "\\u2029")
        }
    }
}

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
