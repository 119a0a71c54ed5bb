import CEmbeddedFiles
import HTTPTypes
import Hummingbird
import NIOCore

/// Serves the description of both APIs (OpenAPI 3.1), on every listener.
///
/// The program contains `docs/openapi.yaml` (`CEmbeddedFiles`).
package struct OpenAPIRoute: Sendable {
    static let path = "/openapi.yaml"

    /// The document, for the readable form in the console.
    package static var text: String { String(decoding: [UInt8](cembedded_openapi_yaml()), as: UTF8.self) }

    private static let content = ByteBuffer(bytes: [UInt8](cembedded_openapi_yaml()))

    @Sendable func show(_ request: Request, context: ServiceRequestContext) async throws -> Response {
        Response(
            status: .ok,
            // RFC 9512. A new version of the service has another text.
            headers: [.contentType: "application/yaml", .cacheControl: "public, max-age=300"],
            body: ResponseBody(byteBuffer: Self.content))
    }
}
