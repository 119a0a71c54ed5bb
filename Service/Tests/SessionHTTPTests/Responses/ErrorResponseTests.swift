import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import SessionDomain
import SessionTokens
import SessionWire
import Testing

@testable import SessionHTTP

@Suite("Error responses")
struct ErrorResponseTests {
    private func response(to error: any Error, path: String) throws -> Response {
        var context = ServiceRequestContext(
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, peerAddress: "")
        context.requestID = "req_1"
        let request = Request(
            head: HTTPRequest(method: .get, scheme: nil, authority: nil, path: path),
            body: RequestBody(buffer: ByteBuffer()))
        return try ErrorResponse.make(for: error, request: request, context: context)
    }

    @Test("An error of the frontend API has code, type, message and request id")
    func frontend() async throws {
        let response = try await EdgeWorld.shared.value.call(.post, "/v1/session/refresh", json: "{}")
        #expect(response.status == 401)
        #expect(Set(response.members.keys) == ["code", "type", "message", "request_id"])
        #expect(response.code == "unauthorized")
        #expect(response.members["type"]?.stringValue == "authentication_error")
        #expect(response.members["request_id"]?.stringValue == response.header("x-request-id"))
        #expect(response.header("content-type") == "application/json")
    }

    @Test("An error of the management API has code, status, message and request id")
    func management() async throws {
        let response = try await EdgeWorld.shared.value.call(.get, "/v2/session/apps")
        #expect(response.status == 401)
        #expect(Set(response.members.keys) == ["code", "status", "message", "request_id"])
        #expect(response.members["request_id"] == response.header("x-request-id").map(JSONValue.string))
        #expect(response.members["status"] == .int(401))
        #expect(response.code == "unauthorized")
    }

    @Test("Retry-After is set for errors that end by themselves", arguments: ["/v1/x", "/v2/x"])
    func retryAfter(path: String) throws {
        #expect(try response(to: Refusal.rateLimited(retryAfter: 77), path: path).headers[.retryAfter] == "77")
        #expect(try response(to: StoreError.overloaded, path: path).headers[.retryAfter] == "1")
        #expect(try response(to: Refusal.unavailable("no"), path: path).headers[.retryAfter] == "5")
        #expect(try response(to: Refusal.unauthorized, path: path).headers[.retryAfter] == nil)
    }

    // Proves: B8
    @Test(
        "Every failure of the store is temporary: 503 with Retry-After, without its reason",
        arguments: [
            StoreError.unavailable("SQLite 13: database or disk is full"), .damaged("page 3"), .inUse, .missing,
            .newerSchema(found: 2, supported: 1), .olderSchema(found: 1, supported: 2),
        ], ["/v1/x", "/v2/x"])
    func failingStore(error: StoreError, path: String) throws {
        let refusal = WireRefusal(error)
        #expect(refusal.code == .internal && !refusal.message.contains("disk") && !refusal.message.contains("page"))
        let response = try response(to: error, path: path)
        #expect(response.status == .serviceUnavailable)
        #expect(response.headers[.retryAfter] == "5")
    }

    @Test(
        "A row that other calls change is 503, soon again, and does not say that the database has failed",
        arguments: [StoreError.locked, .contended])
    func rowsInUse(error: StoreError) throws {
        let refusal = WireRefusal(error)
        #expect(refusal.status == .serviceUnavailable && refusal.code == .internal && refusal.retryAfter == 1)
        #expect(refusal.message == "another call is changing the same data; nothing was changed, try again")
        #expect(RefusalReason(of: error).name == "rows_in_use")
    }

    @Test("DPoP-Nonce is set when a nonce is required (RFC 9449 §8)")
    func nonce() throws {
        let name = try #require(HTTPField.Name(HeaderName.dpopNonce))
        #expect(try response(to: Refusal.nonceRequired("n1"), path: "/").headers[name] == "n1")
        #expect(try response(to: Refusal.missingProof, path: "/").headers[name] == nil)
    }

    @Test("An unknown path and a wrong method are 404", arguments: ["/", "/v1/session/nothing", "/v1/session/refresh"])
    func unknownPath(_ path: String) async throws {
        let response = try await EdgeWorld.shared.value.call(.delete, path)
        #expect(response.status == 404)
        #expect(response.code == "not_found")
    }
}
