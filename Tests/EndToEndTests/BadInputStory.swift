import Foundation
import HTTPTypes
import PreludeSession
import Testing

@Suite("Bad input gets the documented answer")
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
            testDescription: "no phone number", path: "otp",
            json: #"{"identifier":{"type":"phone_number","value":"12"}}"#, status: 400, code: "invalid_identifier",
            names: "identifier"),
        Case(
            testDescription: "no e-mail address", path: "login/email/password",
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
            testDescription: "no verification", path: "otp/check", json: #"{"code":"123456"}"#, status: 400,
            code: "invalid_verification_token", names: "verification"),
        Case(
            testDescription: "challenge missing", path: "login/finalize", json: "{}", status: 401,
            code: "missing_challenge_token", names: "challenge_token"),
        Case(
            testDescription: "challenge garbage", path: "login/finalize", json: #"{"challenge_token":"a.b.c"}"#,
            status: 401, code: "invalid_challenge_token", names: "challenge_token"),
        Case(
            testDescription: "not JSON", path: "otp", json: "{", status: 400, code: "bad_request", names: "body"),
        Case(
            testDescription: "too deep", path: "otp", json: String(repeating: "[", count: 33), status: 400,
            code: "bad_request", names: "deeper"),
        Case(
            testDescription: "too large", path: "otp", json: "{\"a\":\"\(String(repeating: "x", count: 70_000))\"}",
            status: 413, code: "bad_request", names: "64 KiB"),
        Case(
            testDescription: "no refresh token", path: "refresh", json: "{}", status: 401, code: "unauthorized",
            names: "credentials"),
        Case(
            testDescription: "no such endpoint", path: "nothing", json: "{}", status: 404, code: "not_found",
            names: "endpoint"),
    ]

    @Test(arguments: cases)
    func refuses(_ input: Case) async throws {
        let answer = try await World().call("/v1/session/" + input.path, json: input.json)
        #expect(answer.status == input.status)
        #expect(answer.body["code"]?.stringValue == input.code)
        #expect(answer.body["message"]?.stringValue?.contains(input.names) == true)
        #expect(answer.body["request_id"]?.stringValue?.hasPrefix("req_") == true)
        #expect(answer.head.headerFields[.date]?.hasSuffix(" GMT") == true)
    }

    @Test("another content type is 415, and the wrong bytes are 400")
    func contentType() async throws {
        let world = try await World()
        let answer = try await world.call(
            "/v1/session/otp", json: "{}", headers: ["content-type": "text/plain"])
        #expect(answer.status == 415)
        #expect(answer.body["code"]?.stringValue == "bad_request")
    }

    @Test("an unknown host with no default app is 404, and headers beyond 16 KiB are 431")
    func hostsAndHeaders() async throws {
        let world = try await World()
        let answer = try await world.call("/health", headers: ["x-long": String(repeating: "a", count: 17_000)])
        #expect(answer.status == 431)
    }

    @Test("two DPoP headers are refused before either is looked at")
    func twoProofs() async throws {
        let world = try await World()
        var fields = HTTPFields()
        for _ in 1...2 { fields.append(HTTPField(name: try #require(HTTPField.Name("dpop")), value: "x")) }
        let (response, body) = try await world.transport().respond(
            HTTPRequest(
                method: .post, scheme: "http", authority: "localhost:8080", path: "/v1/session/refresh",
                headerFields: fields), body: nil)
        #expect(response.status.code == 400)
        #expect(String(decoding: body, as: UTF8.self).contains("invalid_dpop_proof"))
    }

    @Test("a limit of 0 or 101 is refused", arguments: [0, 101])
    func pagination(limit: Int) async throws {
        let client = try await World().signedIn()
        let error = await #expect(throws: PreludeSessionError.self) {
            try await client.listSessions(ListSessionsOptions(limit: limit))
        }
        guard case .badRequest = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }
}
