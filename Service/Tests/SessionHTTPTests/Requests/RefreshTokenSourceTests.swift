import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import SessionDomain
import Testing

@testable import SessionHTTP

@Suite("Refresh token of a request")
struct RefreshTokenSourceTests {
    @Test(
        "A browser's refresh token comes from the cookie only, that of other clients from the header only",
        arguments: [(true, "from-cookie"), (false, "from-header")])
    func source(isBrowser: Bool, token: String) async throws {
        var headers = HTTPFields.of(
            ("x-refresh-token", "from-header"), ("cookie", "__Host-refresh_testapp=from-cookie"))
        if isBrowser { headers[.origin] = "https://testapp.session.test" }
        #expect(try await refreshToken(in: headers) == token)
    }

    @Test("A header with the refresh token that is repeated is rejected, with its name; browsers do not use it")
    func repeated() async throws {
        var headers = HTTPFields.of(("x-refresh-token", "one"), ("x-refresh-token", "one"))
        await #expect(throws: Refusal.invalidField("X-Refresh-Token", "must not be repeated")) {
            try await refreshToken(in: headers)
        }
        headers[.origin] = "https://testapp.session.test"
        #expect(try await refreshToken(in: headers) == nil)
    }

    private func refreshToken(in headers: HTTPFields) async throws -> String? {
        var context = ServiceRequestContext(logger: Logger(label: "test"), peerAddress: "127.0.0.1")
        context.results.client = try Client.test(headers)
        context.results.app = try await EdgeWorld.shared.value.service.directory.app(host: EdgeWorld.host)
        context.results.proof = .absent
        let request = Request(
            head: HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/", headerFields: headers),
            body: RequestBody(buffer: ByteBuffer()))
        return try ProofBoundContext(context: context).refreshToken(in: request)
    }
}
