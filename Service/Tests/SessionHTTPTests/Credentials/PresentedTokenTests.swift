import HTTPTypes
import Hummingbird
import NIOCore
import SessionDomain
import Testing

@testable import SessionHTTP

@Suite("Authorization header")
struct PresentedTokenTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let headers: [String]
        let scheme: PresentedToken.Scheme?
        let token: String?

        init(_ name: String, _ headers: [String], _ scheme: PresentedToken.Scheme? = nil, _ token: String? = nil) {
            testDescription = name
            self.headers = headers
            self.scheme = scheme
            self.token = token
        }
    }

    static let rows = [
        Row("Bearer", ["Bearer a.b.c"], .bearer, "a.b.c"),
        Row("DPoP", ["DPoP a.b.c"], .dpop, "a.b.c"),
        Row("schemes are case-insensitive (RFC 9110 §11.1)", ["bEARER a"], .bearer, "a"),
        Row("DPoP in lower case", ["dpop a"], .dpop, "a"),
        Row("more than one space (RFC 9110 §11.4)", ["Bearer  a"], .bearer, "a"),
        Row("a token with a space", ["Bearer a b"], .bearer, "a b"),
        Row("no header", []),
        Row("two headers", ["Bearer a", "Bearer a"]),
        Row("two schemes in two headers", ["Bearer a", "DPoP a"]),
        Row("no token", ["Bearer"]),
        Row("an empty token", ["Bearer "]),
        Row("Basic", ["Basic YTpi"]),
        Row("a token without a scheme", ["a.b.c"]),
        Row("a tab instead of a space", ["Bearer\ta"]),
    ]

    @Test("A token is read from one Authorization header of a known scheme", arguments: rows)
    func read(_ row: Row) {
        let request = Request(
            head: HTTPRequest(
                method: .get, scheme: nil, authority: nil, path: "/",
                headerFields: .of(row.headers.map { ("authorization", $0) })), body: RequestBody(buffer: ByteBuffer()))
        #expect(request.presentedToken?.scheme == row.scheme)
        #expect(request.presentedToken?.token == row.token)
        #expect(request.bearerToken == (row.scheme == .bearer ? row.token : nil))
    }
}
