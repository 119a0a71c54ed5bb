import Foundation
import HTTPTypes
import PreludeSession
import PreludeSessionTesting
import SessionDomain
import SessionWire
import Testing

@Suite("Invalid input", .eachStore)
struct BadInputStory {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let path: String
        let json: String
        let status: Int
        let code: String
        let names: String
    }

    static let cases = [
        Case(
            testDescription: "identifier missing", path: "otp", json: "{}", status: 400, code: "bad_request",
            names: "identifier"),
        Case(
            testDescription: "wrong type", path: "otp", json: #"{"identifier":{"type":7,"value":"x"}}"#, status: 400,
            code: "bad_request", names: "identifier.type"),
        Case(
            testDescription: "unknown kind", path: "otp", json: #"{"identifier":{"type":"fax","value":"x"}}"#,
            status: 400, code: "bad_request", names: "identifier.type"),
        Case(
            testDescription: "invalid phone number", path: "otp",
            json: #"{"identifier":{"type":"phone_number","value":"12"}}"#, status: 400, code: "invalid_identifier",
            names: "identifier"),
        Case(
            testDescription: "invalid e-mail address", path: "login/email/password",
            json: #"{"identifier":"nobody","password":"x"}"#, status: 400, code: "invalid_identifier",
            names: "identifier"),
        Case(
            testDescription: "password missing", path: "login/email/password", json: #"{"identifier":"a@b.co"}"#,
            status: 400, code: "bad_request", names: "password"),
        Case(
            testDescription: "short code challenge", path: "otp",
            json: #"{"identifier":{"type":"email_address","value":"a@b.co"},"code_challenge":"abc"}"#, status: 400,
            code: "bad_request", names: "code_challenge"),
        Case(
            testDescription: "verification missing", path: "otp/check", json: #"{"code":"123456"}"#, status: 400,
            code: "invalid_verification_token", names: "verification"),
        Case(
            testDescription: "challenge missing", path: "login/finalize", json: "{}", status: 401,
            code: "missing_challenge_token", names: "challenge_token"),
        Case(
            testDescription: "invalid challenge", path: "login/finalize", json: #"{"challenge_token":"a.b.c"}"#,
            status: 401, code: "invalid_challenge_token", names: "challenge token"),
        Case(
            testDescription: "not JSON", path: "otp", json: "{", status: 400, code: "bad_request", names: "body"),
        Case(
            testDescription: "too deep", path: "otp", json: String(repeating: "[", count: 33), status: 400,
            code: "bad_request", names: "body is nested deeper than 32 levels"),
        Case(
            testDescription: "a member twice", path: "login/email/password",
            json: #"{"identifier":"a@b.co","password":"one","password":"two"}"#, status: 400, code: "bad_request",
            names: "body has the member password twice"),
        Case(
            testDescription: "a member twice, in two spellings", path: "login/finalize",
            json: #"{"challenge_token":"a.b.c","challenge\u005ftoken":"d.e.f"}"#, status: 400, code: "bad_request",
            names: "body has the member challenge_token twice"),
        Case(
            testDescription: "a member twice, in a nested object", path: "otp",
            json: #"{"identifier":{"type":"email_address","value":"a@b.co","value":"c@d.co"}}"#, status: 400,
            code: "bad_request", names: "body has the member value twice"),
        Case(
            testDescription: "an unknown member twice", path: "refresh", json: #"{"a b":1,"a b":2}"#,
            status: 400, code: "bad_request", names: "body has a member twice"),
        Case(
            testDescription: "U+0000", path: "login/email/password",
            json: #"{"identifier":"a@b.co","password":"correct\u0000horse"}"#, status: 400, code: "bad_request",
            names: "body must not contain U+0000"),
        Case(
            testDescription: "half of a surrogate pair", path: "login/email/password",
            json: #"{"identifier":"a@b.co","password":"\ud83d"}"#, status: 400, code: "bad_request",
            names: "body is not valid JSON: an unpaired surrogate"),
        Case(
            testDescription: "text after the body", path: "otp", json: "{} {}", status: 400, code: "bad_request",
            names: "body is not valid JSON: text after the value"),
        Case(
            testDescription: "too large", path: "otp", json: "{\"a\":\"\(String(repeating: "x", count: 70_000))\"}",
            status: 413, code: "bad_request", names: "64 KiB"),
        Case(
            testDescription: "no refresh token", path: "refresh", json: "{}", status: 401, code: "unauthorized",
            names: "credentials"),
        Case(
            testDescription: "unknown endpoint", path: "nothing", json: "{}", status: 404, code: "not_found",
            names: "endpoint"),
    ]

    @Test("Invalid input is rejected with the documented status, code and field", arguments: cases)
    func rejected(_ input: Case) async throws {
        let answer = try await ServiceWorld().call("/v1/session/" + input.path, json: input.json)
        #expect(answer.status == input.status)
        #expect(answer.body["code"]?.stringValue == input.code)
        #expect(answer.body["message"]?.stringValue?.contains(input.names) == true)
        #expect(answer.body["request_id"]?.stringValue?.hasPrefix("req_") == true)
        #expect(answer.head.headerFields[.date]?.hasSuffix(" GMT") == true)
    }

    @Test("Another content type is rejected with 415")
    func contentType() async throws {
        let world = try await ServiceWorld()
        let answer = try await world.call(
            "/v1/session/otp", json: "{}", headers: ["content-type": "text/plain"])
        #expect(answer.status == 415)
        #expect(answer.body["code"]?.stringValue == "bad_request")
    }

    @Test(
        "The host chooses the app, and an unknown host is 404 without a default app",
        arguments: [("testapp.example.com", 200), ("TESTAPP.example.com:8443", 200), ("other.example.com", 404)])
    func hosts(host: String, status: Int) async throws {
        let world = try await ServiceWorld(servesAnyHost: false)
        let answer = try await world.call("/.well-known/jwks.json", host: host)
        #expect(answer.status == status)
        if status == 404 { #expect(answer.body["code"]?.stringValue == "not_found") }
    }

    @Test("A body that is not UTF-8 is rejected with 400")
    func notUTF8() async throws {
        let world = try await ServiceWorld()
        let (response, body) = try await world.router.respond(
            to:
                HTTPRequest(
                    method: .post, scheme: "http", authority: "localhost:8080", path: "/v1/session/otp",
                    headerFields: [.contentType: "application/json"]), body: Data([0x7B, 0xFF, 0x7D]))
        #expect(response.status.code == 400)
        #expect(String(decoding: body, as: UTF8.self).contains("UTF-8"))
    }

    @Test("A body in UTF-16 is rejected with 400")
    func notUTF16() async throws {
        let world = try await ServiceWorld()
        let json = try #require("{\"identifier\":{}}".data(using: .utf16LittleEndian))
        let (response, body) = try await world.router.respond(
            to:
                HTTPRequest(
                    method: .post, scheme: "http", authority: "localhost:8080", path: "/v1/session/otp",
                    headerFields: [.contentType: "application/json"]), body: json)
        #expect(response.status.code == 400)
        #expect(String(decoding: body, as: UTF8.self).contains("body is not valid JSON"))
    }

    @Test("Headers of more than 16 KiB are rejected with 431")
    func longHeaders() async throws {
        let world = try await ServiceWorld()
        let answer = try await world.call("/health", headers: ["x-long": String(repeating: "a", count: 17_000)])
        #expect(answer.status == 431)
    }

    // Proves: D2
    @Test("Two DPoP headers are rejected before either is parsed")
    func twoProofs() async throws {
        let world = try await ServiceWorld()
        var fields = HTTPFields()
        for _ in 1...2 { fields.append(HTTPField(name: try #require(HTTPField.Name("dpop")), value: "x")) }
        let (response, body) = try await world.router.respond(
            to:
                HTTPRequest(
                    method: .post, scheme: "http", authority: "localhost:8080", path: "/v1/session/refresh",
                    headerFields: fields), body: nil)
        #expect(response.status.code == 400)
        #expect(String(decoding: body, as: UTF8.self).contains("invalid_dpop_proof"))
    }

    @Test("A page limit of 0 or 101 is rejected", arguments: [0, 101])
    func pagination(limit: Int) async throws {
        let client = try await ServiceWorld().signedIn()
        let error = await #expect(throws: PreludeSessionError.self) {
            try await client.listSessions(ListSessionsOptions(limit: limit))
        }
        guard case .badRequest = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }
}
