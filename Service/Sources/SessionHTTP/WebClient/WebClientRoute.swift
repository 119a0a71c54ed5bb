package import CEmbeddedFiles
import Crypto
import HTTPTypes
import Hummingbird
import NIOCore
import SessionTokens

/// Serves the client for browsers to pages of every origin: it contains no secret, and the request needs no credential.
///
/// The build copies `clients/web/prelude-session.js` into the program. A link in this folder leads to it.
struct WebClientRoute: Sendable {
    enum Path: String, CaseIterable {
        /// The newest module with the major version 1. Browsers ask each time whether it has changed.
        case latest = "/v1/prelude-session.js"
        /// One version of the module, with the number that it exports. Browsers never ask again.
        case version = "/v1/prelude-session-1.3.0.js"
    }

    let path: Path

    private static let content = ByteBuffer(bytes: WebClientModule.bytes)
    /// A strong entity tag (RFC 9110 §8.8.3).
    private static let entityTag =
        "\"" + Base64URL.encode(SHA256.hash(data: WebClientModule.bytes)) + "\""

    @Sendable func show(_ request: Request, context: ServiceRequestContext) async throws -> Response {
        let isKnown = Self.isKnown(request.headers.all(.ifNoneMatch))
        var response =
            isKnown
            ? Response(status: .notModified) : Response(status: .ok, body: ResponseBody(byteBuffer: Self.content))
        if !isKnown { response.headers[.contentType] = "text/javascript; charset=utf-8" }
        response.headers[.eTag] = Self.entityTag
        response.headers[.cacheControl] =
            switch path {
            case .latest: "public, no-cache"
            case .version: "public, max-age=31536000, immutable"
            }
        response.headers.set(.accessControlAllowOrigin, to: "*")
        // Pages with `Cross-Origin-Embedder-Policy` load only what allows it.
        response.headers.set(.crossOriginResourcePolicy, to: "cross-origin")
        return response
    }

    /// Whether `If-None-Match` has the tag of the module (RFC 9110 §13.1.2). Tags with `W/` count: a proxy that compresses
    /// the module writes them.
    private static func isKnown(_ values: [String]) -> Bool {
        values.joined(separator: ",").split(separator: ",").contains { item in
            let tag = item.trimmingPrefix { $0 == " " || $0 == "\t" }.trimmingPrefix("W/")
            return tag == "*" || tag.hasPrefix(entityTag) && tag.dropFirst(entityTag.count).allSatisfy(\.isWhitespace)
        }
    }
}

/// The client for browsers, as `WebClientRoute` serves it. The program contains `clients/web/prelude-session.js`
/// (`CEmbeddedFiles`).
package enum WebClientModule {
    package static let bytes = [UInt8](cembedded_prelude_session_js())
}

extension [UInt8] {
    /// The bytes of a file that the program contains.
    package init(_ file: cembedded_file) {
        self.init(UnsafeBufferPointer(start: file.bytes, count: file.length))
    }
}
