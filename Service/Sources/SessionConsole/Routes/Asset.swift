import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SessionTokens

/// A file of the console. Its path contains its hash, so browsers keep it until it changes.
struct Asset: Sendable {
    static let stylesheet = Asset(
        "text/css; charset=utf-8", end: ".css",
        [
            Stylesheet.base, Stylesheet.frame, Stylesheet.parts, Stylesheet.playground, Stylesheet.graphs,
            Stylesheet.reference, Stylesheet.phone,
        ].joined())
    static let icon = Asset("image/svg+xml", end: ".svg", Stylesheet.icon)
    /// Keeps graphs up to date.
    static let liveScript = Asset("text/javascript; charset=utf-8", end: ".js", LiveScript.text)
    static let all = [stylesheet, icon, liveScript] + PlaygroundScripts.all

    let path: ConsolePath
    /// The last part of the path, by which a script imports another one.
    let fileName: String
    private let type: String
    private let text: String

    init(_ type: String, end: String, _ text: String) {
        (self.type, self.text) = (type, text)
        let hash = Base64URL.encode(Data(SHA256.hash(data: Data(text.utf8))).prefix(12))
        fileName = hash + end
        path = ConsolePath.home / "assets" / fileName
    }

    @Sendable func show(_ request: Request, context: some RequestContext) async throws -> Response {
        var response = Response(
            status: .ok,
            headers: [.contentType: type, .cacheControl: "public, max-age=31536000, immutable"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        response.addConsoleHeaders()
        return response
    }
}
