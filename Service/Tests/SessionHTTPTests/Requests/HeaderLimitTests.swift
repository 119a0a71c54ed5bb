import HTTPTypes
import Testing

@testable import SessionHTTP

@Suite("Header limit")
struct HeaderLimitTests {
    @Test("Headers have at most 16 KiB in all", arguments: [(0, 200), (1, 431)])
    func one(excess: Int, status: Int) async throws {
        // The name and four more bytes count.
        let value = String(repeating: "a", count: 16_384 - "x-long".utf8.count - 4 + excess)
        let response = try await EdgeWorld.shared.value.call(.get, "/health", .of(("x-long", value)))
        #expect(response.status == status)
    }

    @Test("A proxy that asks about a request gets 403, because it passes on the headers of its client")
    func ofProxy() async throws {
        let headers = HTTPFields.of(("x-long", String(repeating: "a", count: 16_384)))
        let response = try await EdgeWorld.shared.value.call(.get, "/v1/session/verify?app=testapp", headers)
        #expect(response.status == 403 && response.code == "forbidden")
    }

    @Test("Many short headers are rejected, too")
    func many() async throws {
        let headers = HTTPFields.of((0..<2_000).map { ("x-\($0)", "a") })
        let response = try await EdgeWorld.shared.value.call(.get, "/health", headers)
        #expect(response.status == 431)
        #expect(response.code == "bad_request")
        #expect(response.header("x-request-id")?.hasPrefix("req_") == true)
    }
}
