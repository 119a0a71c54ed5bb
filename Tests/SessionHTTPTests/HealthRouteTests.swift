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
}
