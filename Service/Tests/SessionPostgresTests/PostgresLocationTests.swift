internal import Testing

@testable import SessionPostgres

@Suite("The place of a server")
struct PostgresLocationTests {
    private func mode(_ url: String, _ environment: [String: String] = [:]) throws -> String? {
        try PostgresLocation(url, environment: environment).parameters["sslmode"]
    }

    @Test(
        "PostgreSQL before 14 is refused. Other engines name the version that they resemble, and are not",
        arguments: [
            ("13.22", true), ("13.22 (Debian 13.22-0+deb11u1)", true), ("10.1", true), ("9.6.24", true),
            ("14.0", false),
            ("15.14 (Debian 15.14-0+deb12u1)", false), ("18.1", false), ("19beta1", false), ("13.0.0", false),
            ("11.2-YB-2.18.0.0-b0", false), ("", false),
        ])
    func versions(text: String, isRefused: Bool) {
        #expect((PostgresServer.problem(ofVersion: text) != nil) == isRefused)
    }

    @Test(
        "A server on this machine needs no TLS",
        arguments: [
            "postgresql:///x", "postgresql://%2Frun%2Fpostgresql/x", "postgresql://localhost,127.0.0.1,[::1]/x",
            "postgresql:///x?host=@abstract", "postgresql://127.9.8.7/x",
            "postgresql://db.example.com/x?hostaddr=127.0.0.1",
        ])
    func local(url: String) throws { #expect(try mode(url) == "prefer") }

    @Test(
        "The certificate of any other server is verified",
        arguments: [
            "postgresql://db.example.com/x", "postgresql://localhost,db.example.com/x",
            "postgresql://127.example.com/x",
            "postgresql://127.0.0.1.example.com/x", "postgresql://0.0.0.0/x", "postgresql://[::2]/x",
            "postgresql://localhost/x?hostaddr=192.0.2.1", "postgresql:///x?service=s",
            "postgresql://localhost/x?service=s",
            "postgresql:///x?host=a,db.example.com&hostaddr=127.0.0.1,",
        ])
    func distant(url: String) throws { #expect(try mode(url) == "verify-full") }

    @Test(
        "The environment can name the host, as for libpq",
        arguments: [
            ("postgresql:///x", ["PGHOST": "db.example.com"], "verify-full"),
            ("postgresql:///x", ["PGHOST": "/run/postgresql"], "prefer"),
            ("postgresql:///x", ["PGHOST": "localhost"], "prefer"),
            ("postgresql:///x", ["PGHOSTADDR": "192.0.2.1"], "verify-full"),
            ("postgresql:///x", ["PGHOSTADDR": "127.0.0.1"], "prefer"),
            ("postgresql:///x", ["PGSERVICE": "s"], "verify-full"),
            // The URL counts before the environment, and an address before a name.
            ("postgresql://localhost/x", ["PGHOST": "db.example.com"], "prefer"),
            ("postgresql://localhost/x", ["PGHOSTADDR": "192.0.2.1"], "verify-full"),
            ("postgresql://localhost/x", ["PGSERVICE": "s"], "verify-full"),
        ])
    func environment(url: String, variables: [String: String], expected: String) throws {
        #expect(try mode(url, variables) == expected)
    }

    @Test("The URL and PGSSLMODE choose another mode")
    func chosen() throws {
        #expect(try mode("postgresql://db.example.com/x?sslmode=require") == "require")
        #expect(try mode("postgresql:///x", ["PGSSLMODE": "require", "PGHOST": "db.example.com"]) == nil)
    }
}
