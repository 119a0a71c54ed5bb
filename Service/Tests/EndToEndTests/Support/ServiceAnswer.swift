import Foundation
import HTTPTypes
import PreludeSession
import PreludeSessionTesting

/// A response of the service, with its JSON body.
struct ServiceAnswer: Sendable {
    let status: Int
    let body: [String: PreludeJSONValue]
    let head: HTTPResponse

    init(_ head: HTTPResponse, body: Data) throws {
        status = head.status.code
        self.head = head
        self.body = body.isEmpty ? [:] : try JSONDecoder().decode([String: PreludeJSONValue].self, from: body)
    }

    /// The error code.
    var code: String? { body["code"]?.stringValue }
    /// The DPoP nonce for the next proof.
    var nonce: String? { HTTPField.Name("dpop-nonce").flatMap { head.headerFields[$0] } }
    /// The authentication challenge (RFC 9110 §11.6.1).
    var challenge: String? { head.headerFields[.wwwAuthenticate] }
}

extension InProcessRouter {
    /// Sends a request at `ServiceWorld.localOrigin`.
    func send(
        _ method: HTTPRequest.Method, _ path: String, host: String = "localhost:8080", fields: HTTPFields,
        json: String? = nil
    ) async throws -> ServiceAnswer {
        var fields = fields
        if json != nil, !fields.contains(.contentType) { fields[.contentType] = "application/json" }
        let head = HTTPRequest(method: method, scheme: "http", authority: host, path: path, headerFields: fields)
        let (response, body) = try await respond(to: head, body: json.map { Data($0.utf8) })
        return try ServiceAnswer(response, body: body)
    }
}
