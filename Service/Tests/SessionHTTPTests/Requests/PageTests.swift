import HTTPTypes
import Hummingbird
import NIOCore
import SessionDomain
import Testing

@testable import SessionHTTP

@Suite("Pages of lists")
struct PageTests {
    private func page(_ query: String) throws(Refusal) -> Page {
        try Page(
            Request(
                head: HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/list?" + query),
                body: RequestBody(buffer: ByteBuffer())))
    }

    @Test(
        "limit and offset are read from the query; the defaults are 10 and 0",
        arguments: [
            ("", 10, 0), ("limit=5", 5, 0), ("offset=7", 10, 7), ("limit=5&offset=7", 5, 7), ("limit=0", 0, 0),
            ("limit=-1&offset=-2", -1, -2), ("limits=5", 10, 0),
        ])
    func read(query: String, limit: Int, offset: Int) throws {
        let page = try page(query)
        #expect(page.limit == limit && page.offset == offset)
    }

    @Test(
        "A value that is not a whole number is rejected",
        arguments: ["", "x", "1.5", "1e3", "0x10", "9223372036854775808", "%31 0", "٣"])
    func invalid(_ text: String) {
        #expect(throws: Refusal.invalidPaginationLimit) { try page("limit=\(text)") }
        #expect(throws: Refusal.invalidPaginationOffset(maximum: Int(Int32.max))) { try page("offset=\(text)") }
    }

    @Test(
        "A page of events has 1 to 100 entries",
        arguments: [
            ("limit=1", nil), ("limit=100", nil), ("limit=0", "invalid_pagination_limit"),
            ("limit=101", "invalid_pagination_limit"), ("offset=-1", "invalid_pagination_offset"), ("offset=0", nil),
        ] as [(String, String?)])
    func events(query: String, code: String?) async throws {
        let world = try await EdgeWorld.shared.value
        let response = try await world.call(
            .get, "/v2/session/apps/testapp/events?" + query, try await world.operatorHeaders())
        #expect(response.code == code)
        #expect(response.status == (code == nil ? 200 : 400))
    }
}
