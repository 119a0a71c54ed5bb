import SessionTokens
import Testing

@testable import PreludeSessionVerifier

@Suite("Verifier: the URLs of the backend")
struct ProtectedResourcesTests {
    private static let paths = [
        "/", "/v1/notes?x=1#y", "/a/../b/./c", "/%7Euser/%2f", "//double", "/..", "/a b", "/ü", "/%zz", "*", "", "v1",
    ]

    @Test(
        "The targets are those of the joined texts, with and without a path",
        arguments: [
            ["https://api.example.com"], ["HTTPS://API.example.com:443/", "http://localhost:8080"],
            ["https://api.example.com/base/", "https://api.example.com"], [],
        ])
    func targets(_ urls: [String]) throws {
        let resources = try ProtectedResources(urls)
        for path in Self.paths {
            let joined = urls.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
            #expect(resources.targets(path: path) == joined.compactMap { TargetURI(origin: $0, path: path) }, "\(path)")
        }
    }
}
