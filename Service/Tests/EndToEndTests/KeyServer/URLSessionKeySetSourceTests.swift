import Foundation
import NIOHTTP1
import SessionConformance
import SessionTokens
import Testing

@testable import PreludeSessionVerifier

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Fetching keys over HTTP")
struct URLSessionKeySetSourceTests {
    private static let path = "/.well-known/jwks.json"

    private func fetch(
        _ responses: [String: KeyServer.Response]
    ) async throws -> (response: Result<FetchedKeySet, any Error>, paths: [String]) {
        let server = try await KeyServer.start(responses)
        let source = URLSessionKeySetSource(url: try #require(URL(string: server.url + Self.path)))
        let response: Result<FetchedKeySet, any Error>
        do {
            response = .success(try await source.fetch())
        } catch {
            response = .failure(error)
        }
        let paths = server.paths
        try await server.stop()
        return (response, paths)
    }

    @Test("A key set is fetched with its max-age")
    func fetched() async throws {
        let (response, paths) = try await fetch([
            Self.path: .init(headers: [("cache-control", "public, max-age=60")], body: #"{"keys":[]}"#)
        ])
        #expect(try response.get().json == Data(#"{"keys":[]}"#.utf8))
        #expect(try response.get().maxAge == 60)
        #expect(paths == [Self.path])
    }

    @Test("A redirect is not followed", arguments: [HTTPResponseStatus.movedPermanently, .found, .temporaryRedirect])
    func redirect(_ status: HTTPResponseStatus) async throws {
        let (response, paths) = try await fetch([
            Self.path: .init(status: status, headers: [("location", "/elsewhere")], body: #"{"keys":[]}"#),
            "/elsewhere": .init(body: #"{"keys":[]}"#),
        ])
        #expect(throws: (any Error).self) { try response.get() }
        #expect(paths == [Self.path])
    }

    @Test("A body longer than 256 KiB is rejected")
    func tooLong() async throws {
        let longest = String(repeating: " ", count: URLSessionKeySetSource.maximumLength)
        #expect(try await fetch([Self.path: .init(body: longest)]).response.get().json.count == longest.utf8.count)
        let (response, _) = try await fetch([Self.path: .init(body: longest + " ")])
        #expect(throws: URLError.self) { try response.get() }
    }

    @Test("An endless body is cancelled at the maximum length", .timeLimit(.minutes(5)))
    func endless() async throws {
        let (response, _) = try await fetch([
            Self.path: .init(body: String(repeating: " ", count: 4096), isEndless: true)
        ]
        )
        let error = try #require(#expect(throws: URLError.self) { try response.get() })
        #expect(error.code == .dataLengthExceedsMaximum)
    }

    @Test(
        "A response with another status than 200 is an error",
        arguments: [HTTPResponseStatus.notFound, .internalServerError, .accepted])
    func status(_ status: HTTPResponseStatus) async throws {
        let (response, _) = try await fetch([Self.path: .init(status: status, body: #"{"keys":[]}"#)])
        #expect(throws: URLError.self) { try response.get() }
    }

    @Test("A verifier fetches the keys of its service without a custom source")
    func wholeWay() async throws {
        let key = JSONValue.object(PublishedKeys.service.publishedMembers.mapValues(JSONValue.string))
        let keys = String(decoding: try TokenJSON.encode(["keys": [key]]), as: UTF8.self)
        let server = try await KeyServer.start([Self.path: .init(body: keys)])
        let now: Int64 = 1_750_000_000
        var options = VerifierOptions()
        options.environment = VerifierEnvironment { Date(timeIntervalSince1970: Double(now)) }
        let verifier = try SessionVerifier(service: server.url, audience: "testapp", options: options)
        let token = TokenDraft(
            signer: PublishedKeys.service, issuer: "127.0.0.1", audience: "testapp", now: now)
        #expect(try await verifier.verify(token.compact()).userID == "usr_1")
        #expect(server.paths == [Self.path])
        try await server.stop()
    }
}
