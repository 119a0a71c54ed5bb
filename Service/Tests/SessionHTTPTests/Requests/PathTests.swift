import HTTPTypes
import Testing

@testable import SessionHTTP

@Suite("Spelling of paths")
struct PathTests {
    @Test(
        "Only one spelling of a path is served",
        arguments: [
            "//v2/session/apps", "/v2//session/apps", "/v2/session/apps/", "/./v2", "/v1/../v2", "/v2/.",
            "/v2%2fsession",
            "/%76%32/session/apps", "/v2/%2e/x", "/v2\\session", "/v2;x=y", "/v2/a b", "/v2/ä", "", "v2", "/", "/a:b",
        ])
    func rejected(path: String) {
        #expect(!CanonicalPath.isCanonical(path))
    }

    @Test(
        "Paths of routes are canonical",
        arguments: [
            "/health", "/.well-known/jwks.json", "/v2/session/apps/a1b2c3d/users/usr_01h", "/dev", "/a/...", "/~",
        ])
    func accepted(path: String) {
        #expect(CanonicalPath.isCanonical(path))
    }

    @Test("A query with U+0000 is refused, because PostgreSQL cannot look it up")
    func nullCharacter() async throws {
        let world = try await EdgeWorld.shared.value
        #expect(try await world.call(.get, "/health?x=1%002").status == 400)
        #expect(try await world.call(.get, "/health?x=1%02").status == 200)
    }

    @Test("A query with too many combining marks in a row is refused, because comparing them takes long")
    func combiningMarks() async throws {
        let world = try await EdgeWorld.shared.value
        for (count, status) in [(128, 200), (129, 400)] {
            let query = "a" + String(repeating: "%CC%81", count: count) + "=1"
            #expect(try await world.call(.get, "/health?\(query)").status == status)
        }
    }

    @Test("The router serves no second spelling of the management API")
    func router() async throws {
        let world = try await EdgeWorld.shared.value
        let headers = try await world.operatorHeaders()
        #expect(try await world.call(.get, "/v2/session/apps", headers).status == 200)
        for path in ["//v2/session/apps", "/v2//session/apps", "/v2/session/apps/"] {
            #expect(try await world.call(.get, path, headers).status == 404)
        }
    }
}
