import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SessionDomain
import SessionTokens
import Testing

@testable import SessionHTTP

@Suite("JSON body")
struct JSONBodyTests {
    private struct Body: Codable, Equatable, Sendable {
        struct Entry: Codable, Equatable { let name: String }

        let text: String
        var count: Int?
        var ratio: Double?
        var isSet: Bool?
        var list: [String]?
        var entries: [Entry]?
        var map: [String: String]?
    }

    private func request(_ body: String, contentType: [String] = ["application/json"]) -> Request {
        Request(
            head: HTTPRequest(
                method: .post, scheme: nil, authority: nil, path: "/",
                headerFields: .of(contentType.map { ("content-type", $0) })),
            body: RequestBody(buffer: ByteBuffer(string: body)))
    }

    @Test(
        "A body of application/json is read, whatever the parameters of the media type",
        arguments: [
            "application/json", "Application/JSON", "application/json; charset=utf-8", "application/json;charset=UTF-8",
            " application/json ;x=y", "application/json; charset=utf-16",
        ])
    func accepted(_ contentType: String) async throws {
        let body = try await request(#"{"text":"a"}"#, contentType: [contentType]).decode(Body.self)
        #expect(body == Body(text: "a"))
    }

    @Test(
        "A body of another media type is rejected with 415",
        arguments: [
            [], [""], ["text/plain"], ["application/x-www-form-urlencoded"], ["multipart/form-data"],
            ["application/json-patch+json"], ["application/problem+json"], ["json"], [";application/json"],
            ["text/plain", "application/json"],
        ])
    func unsupported(_ contentType: [String]) async throws {
        let error = await #expect(throws: HTTPError.self) {
            try await request(#"{"text":"a"}"#, contentType: contentType).decode(Body.self)
        }
        #expect(error?.status == .unsupportedMediaType)
    }

    @Test("An empty body is absent, whatever its media type", arguments: [[], ["text/plain"], ["application/json"]])
    func empty(_ contentType: [String]) async throws {
        #expect(try await request("", contentType: contentType).decodeIfPresent(Body.self) == nil)
        await #expect(throws: Refusal.invalidField("body", "must be a JSON object")) {
            try await request("", contentType: contentType).decode(Body.self)
        }
    }

    @Test("A body has at most 64 KiB", arguments: [0, 1])
    func size(excess: Int) async throws {
        let frame = #"{"text":""}"#
        let body = #"{"text":"\#(String(repeating: "a", count: 65_536 - frame.utf8.count + excess))"}"#
        if excess == 0 {
            #expect(try await request(body).decode(Body.self).text.utf8.count == 65_536 - frame.utf8.count)
        } else {
            let error = await #expect(throws: HTTPError.self) { try await request(body).decode(Body.self) }
            #expect(error?.status == .contentTooLarge)
        }
    }

    @Test("A body that cannot be received completely is the client's error")
    func incomplete() async {
        struct ConnectionLost: Error {}
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: ByteBuffer.self)
        continuation.finish(throwing: ConnectionLost())
        let request = Request(
            head: HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/"),
            body: RequestBody(asyncSequence: stream))
        await #expect(throws: Refusal.invalidField("body", "is incomplete, or its length or chunks are wrong")) {
            try await request.decode(Body.self)
        }
    }

    @Test(
        "The error names the field and never contains its value",
        arguments: [
            ("{}", "text", "is required"),
            (#"{"text":1}"#, "text", "must be a string"),
            (#"{"text":null}"#, "text", "must be a string"),
            (#"{"text":"a","count":"7"}"#, "count", "must be a whole number"),
            (#"{"text":"a","ratio":"7"}"#, "ratio", "must be a number"),
            (#"{"text":"a","isSet":1}"#, "isSet", "must be a boolean"),
            (#"{"text":"a","list":"x"}"#, "list", "must be an array"),
            (#"{"text":"a","list":["x",2]}"#, "list[1]", "must be a string"),
            (#"{"text":"a","entries":[{"name":"n"},{}]}"#, "entries[1].name", "is required"),
            (#"{"text":"a","map":[]}"#, "map", "must be an object"),
            (#"{"text":"a","map":{"plain_name":1}}"#, "map.plain_name", "must be a string"),
            (#"{"text":"a","map":{"not plain":1}}"#, "map.[?]", "must be a string"),
            ("[]", "body", "must be an object"),
            (#""text""#, "body", "must be an object"),
            ("{", "body", "is not valid JSON: "),
            (#"{"text":"a"} x"#, "body", "is not valid JSON: "),
            (#"{"text":"a","text":"b"}"#, "body", "has the member text twice"),
            (#"{"text":"a","s p":1,"s p":2}"#, "body", "has a member twice"),
            (#"{"text":"\u0000"}"#, "body", "must not contain U+0000"),
            (String(repeating: "[", count: 33), "body", "is nested deeper than 32 levels"),
        ])
    func wrong(json: String, field: String, problem: String) {
        let error = #expect(throws: Refusal.self) { try JSONBody.read(Body.self, from: Data(json.utf8)) }
        guard case .invalidField(let name, let text) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(name == field)
        #expect(text.hasPrefix(problem))
    }

    @Test("A body in another encoding than UTF-8 is rejected")
    func encoding() throws {
        #expect(throws: Refusal.invalidField("body", "must be UTF-8")) {
            try JSONBody.read(Body.self, from: Data([0x7B, 0xFF, 0x7D]))
        }
        let utf16 = try #require(#"{"text":"a"}"#.data(using: .utf16LittleEndian))
        #expect(throws: Refusal.self) { try JSONBody.read(Body.self, from: utf16) }
    }
}
