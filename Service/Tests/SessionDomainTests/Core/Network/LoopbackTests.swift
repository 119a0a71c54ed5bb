import Testing

@testable import SessionDomain

@Suite("Loopback hosts")
struct LoopbackTests {
    @Test(
        "localhost and loopback addresses are the local machine, with or without the brackets of a URI",
        arguments: ["localhost", "LOCALHOST", "127.0.0.1", "127.255.255.254", "::1", "[::1]", "::ffff:127.0.0.1"])
    func local(host: String) {
        #expect(IPNetwork.isLoopback(host: host))
    }

    @Test(
        "Other hosts are not the local machine",
        arguments: [
            "", "0.0.0.0", "::", "128.0.0.1", "10.0.0.1", "[::2]", "[::1", "::1]", "[127.0.0.1", "localhost.example",
            "example.localhost.example", "127.0.0.1.example", "127.0.0.1:80", "localhost.",
        ])
    func others(host: String) {
        #expect(!IPNetwork.isLoopback(host: host))
    }
}
