import SessionTokens
import SessionWire
import Testing

@testable import SessionHTTP

@Suite("List of sessions")
struct SessionListResponseTests {
    @Test("No text of a client ends the JSON, and each is read as it was written")
    func texts() throws {
        for text in ["\u{1}\u{8}\t\n\u{c}\r\u{1f}\u{7f}\u{85}\u{2028}", #"\"#, #"","total":0,"#, "\u{1F600}é\u{301}"] {
            let session = SessionView(
                id: text, deviceModel: text, deviceType: text, osVersion: text, countryCode: text, createdAt: text,
                lastSeenAt: text, expiresAt: text)
            let response = SessionListResponse(sessions: [session], total: 1, limit: 10, offset: 0)
            let written = try TokenJSON.decode([String: JSONValue].self, from: TokenJSON.write(response.members))
            #expect(written == response.members)
            let encoded = try TokenJSON.decode([String: JSONValue].self, from: TokenJSON.encode(response))
            #expect(written == encoded)
        }
    }

    @Test("The members are those that the encoder writes", arguments: [0, 1, 3])
    func members(count: Int) throws {
        let session = SessionView(
            id: "ses_1", deviceModel: "\"Mac\" / ü", deviceType: "desktop", osVersion: "macOS 15", countryCode: "",
            createdAt: "2026-01-01T00:00:00Z", lastSeenAt: "2026-01-02T00:00:00Z", expiresAt: "2026-02-01T00:00:00Z")
        let response = SessionListResponse(
            sessions: Array(repeating: session, count: count), total: count + 7, limit: 10, offset: 20)
        #expect(try TokenJSON.encode(response) == TokenJSON.write(response.members))
    }
}
