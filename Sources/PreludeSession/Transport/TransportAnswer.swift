internal import Foundation
internal import HTTPTypes
internal import SessionWire

/// A response of the service, as the SDK reads it.
struct TransportAnswer: Sendable {
    let status: Int
    let fields: HTTPFields
    let body: Data

    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { fields[$0] } }

    /// The server's id of the request, from the header.
    var requestID: String? { header(HeaderName.requestID).flatMap(ErrorResponse.plainWord) }

    /// Decodes the JSON body.
    ///
    /// - Throws: `.generic` with the code `invalid_answer`.
    func decode<Body: Decodable>(_ type: Body.Type) throws -> Body {
        do {
            return try JSONDecoder().decode(type, from: body)
        } catch {
            throw PreludeSessionError.generic(code: "invalid_answer", message: "the server's response is invalid")
        }
    }

    /// The challenge token in the body.
    ///
    /// - Throws: `.generic` with the code `invalid_answer`.
    func challengeToken() throws -> String {
        guard let body = try? JSONDecoder().decode(ChallengeResponse.self, from: body) else {
            throw PreludeSessionError.generic(
                code: "invalid_answer", message: "the server's response contains no challenge token")
        }
        return body.challengeToken
    }
}
