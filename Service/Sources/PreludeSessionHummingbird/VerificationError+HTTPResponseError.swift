internal import Foundation
public import Hummingbird
internal import NIOCore
public import PreludeSessionVerifier

/// Lets middleware and handlers throw a `VerificationError`: Hummingbird sends the response of the error.
///
/// The verifier and this module are released together, so no other conformance can appear.
// swift-format-ignore: AvoidRetroactiveConformances
extension VerificationError: @retroactive HTTPResponseError, @retroactive ResponseGenerator {
    private struct Body: Encodable {
        let code: String
        let message: String
    }

    /// The response: status, `WWW-Authenticate` challenge, and a JSON body with `code` and `message`.
    public func response(from request: Request, context: some RequestContext) throws -> Response {
        var headers = headerFields
        headers[.contentType] = "application/json; charset=utf-8"
        let body = try JSONEncoder().encode(Body(code: reason.rawValue, message: description))
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    }
}
