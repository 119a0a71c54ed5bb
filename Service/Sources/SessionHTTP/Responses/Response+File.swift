import Foundation
import HTTPTypes
package import Hummingbird
import NIOCore
package import SessionDomain

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
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Many readers end a line at these, which JSON allows in texts.
        return ["\u{85}", "\u{2028}", "\u{2029}"].reduce(String(decoding: try encoder.encode(body), as: UTF8.self)) {
            $0.replacing($1, with: $1 == "\u{85}" ? "\\u0085" : $1 == "\u{2028}" ? "\\u2028" : "\\u2029")
        }
    }
}
