import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SessionTokens

extension Response {
    /// A JSON response with sorted keys.
    static func json(_ body: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return json(try encoder.encode(body), status: status)
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
