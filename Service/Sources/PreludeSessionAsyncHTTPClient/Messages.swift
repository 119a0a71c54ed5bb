internal import AsyncHTTPClient
internal import Foundation
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
@_spi(Service) internal import PreludeSession

// Requests and responses in the types of AsyncHTTPClient.

extension HTTPClientRequest {
    /// - Throws: `PreludeSessionError.invalidConfiguration` for a request without authority, or with another scheme than
    ///   http and https.
    init(_ request: HTTPRequest, body: Data?) throws(PreludeSessionError) {
        guard let scheme = request.scheme, ["http", "https"].contains(scheme), let authority = request.authority
        else {
            throw .invalidConfiguration("the request has no valid URL")
        }
        self.init(url: "\(scheme)://\(authority)\(request.path ?? "/")")
        method = HTTPMethod(rawValue: request.method.rawValue)
        headers = HTTPHeaders(request.headerFields.map { ($0.name.rawName, $0.value) })
        if let body { self.body = .bytes(ByteBuffer(bytes: body)) }
    }
}

extension HTTPResponse {
    /// Status and header fields. Fields with the same name stay separate, such as `Set-Cookie`.
    init(_ response: HTTPClientResponse) {
        var fields = HTTPFields()
        for (name, value) in response.headers {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        self.init(status: .init(code: Int(response.status.code)), headerFields: fields)
    }
}

extension HTTPClientResponse {
    /// Reads the body to its end.
    ///
    /// - Throws: `AnswerTooLarge` as soon as more than `maximum` bytes are announced or have arrived.
    func wholeBody(maximum: Int) async throws -> Data {
        if let length = headers.first(name: "content-length").flatMap(Int.init), length > maximum {
            throw AnswerTooLarge()
        }
        var whole = Data()
        for try await part in body {
            guard part.readableBytes <= maximum - whole.count else { throw AnswerTooLarge() }
            whole.append(contentsOf: part.readableBytesView)
        }
        return whole
    }
}
