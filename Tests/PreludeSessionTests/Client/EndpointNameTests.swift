import Foundation
import Testing

@testable import PreludeSession

@Suite("Names of endpoints in stored names")
struct EndpointNameTests {
    private func name(_ endpoint: String, host: String? = nil, space: String? = nil) throws -> String {
        EndpointName.of(
            origin: try Endpoint.custom(endpoint).origin(), hostOverride: host,
            space: try CredentialSpace.suffix(space))
    }

    @Test("Usual endpoints keep the names and files of earlier versions")
    func usual() throws {
        for (endpoint, expected, file) in [
            ("https://app1234.session.example.com", "app1234.session.example.com", "app1234.session.example.com"),
            ("https://session.example.com:8443", "session.example.com:8443", "session.example.com_8443"),
            ("http://localhost:8080", "localhost:8080", "localhost_8080"),
            ("http://127.0.0.1:9000", "127.0.0.1:9000", "127.0.0.1_9000"),
        ] {
            #expect(try name(endpoint) == expected)
            #expect(FileName.record(try name(endpoint) + ".session") == file + ".session")
        }
        #expect(try name("https://a.example", space: "work") == "a.example+work")
        #expect(try name("http://localhost:8080", host: "app.example") == "localhost:8080_app.example")
    }

    @Test("Different endpoints have different names and files")
    func different() throws {
        let names = try [
            name("https://localhost:8443"), name("http://localhost:8443"), name("https://localhost_8443"),
            name("http://localhost", host: "8443"), name("https://localhost", host: "8443"),
            name("https://localhost+work"), name("https://localhost", space: "work"),
            name("http://localhost", space: "work"), name("https://localhost%2Bwork"),
            name("https://https:8443"), name("https://https"), name("https://https_localhost"),
            name("https://a_b"), name("https://a", host: "b"), name("https://a_", host: "b"),
            name("https://a", host: "_b"), name("https://a%5Fb"), name("https://a", host: "b", space: "c"),
            name("https://a", host: "b.c"), name("https://a", space: "b_c"), name("https://a", space: "b-c"),
            name("https://127.0.0.1"), name("http://127.0.0.1"), name("http://[::1]:80"), name("https://[::1]:80"),
        ]
        #expect(Set(names).count == names.count)
        #expect(Set(names.map(FileName.record)).count == names.count)
    }
}
