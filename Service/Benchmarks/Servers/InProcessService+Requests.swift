import Foundation
import HTTPTypes
import PreludeSessionTesting
import SessionWire

/// A device of `InProcessService`, and its refresh token.
struct InProcessSession {
    let device: ProofMaker
    let url: String
    var refreshToken: String

    func proof() throws -> String { try device.proof(ProofPurpose(method: "POST", url: url, isRotation: true)) }
}

/// A response of the router.
struct Answer {
    let status: Int
    let fields: HTTPFields
    let body: Data

    func headerField(_ name: String) -> String? { HTTPField.Name(name).flatMap { fields[$0] } }
}

extension InProcessService {
    func send(
        _ path: FrontendPath, headers: [String: String] = [:], json: (some Encodable)? = String?.none
    ) async throws -> Answer {
        var request = HTTPRequest(method: .post, scheme: "http", authority: "localhost:8080", path: path.rawValue)
        request.headerFields[.contentType] = "application/json"
        for (name, value) in headers {
            if let name = HTTPField.Name(name) { request.headerFields[name] = value }
        }
        let (response, body) = try await router.respond(
            to: request, body: try json.map { try JSONEncoder().encode($0) })
        return Answer(status: response.status.code, fields: response.headerFields, body: body)
    }
}
