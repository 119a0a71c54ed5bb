import HTTPTypes
import Testing

@Suite("Health")
struct HealthRouteTests {
    @Test("Health needs no app and no credentials", arguments: [EdgeWorld.host, "unknown.example", nil])
    func show(host: String?) async throws {
        let response = try await EdgeWorld.shared.value.call(.get, "/health", host: host)
        #expect(response.status == 200)
        #expect(response.text == #"{"status":"ok"}"#)
    }

    @Test("HEAD gets the headers of GET without a body (RFC 9110 §9.3.2)")
    func head() async throws {
        let world = try await EdgeWorld.shared.value
        let (head, get) = (try await world.call(.head, "/health"), try await world.call(.get, "/health"))
        #expect(head.status == 200 && head.text.isEmpty)
        for name in ["content-type", "content-length", "cache-control"] {
            #expect(head.header(name) == get.header(name) && head.header(name) != nil)
        }
    }
}
