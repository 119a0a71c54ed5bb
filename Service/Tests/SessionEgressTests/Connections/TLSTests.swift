import Foundation
import NIOHTTP1
import NIOSSL
import SessionDomain
import Testing

@testable import SessionEgress

/// Tests against a real https server with a certificate for `localhost`.
@Suite("TLS", .timeLimit(.minutes(5)))
struct TLSTests {
    private let certificates: TestCertificates

    init() throws {
        certificates = try TestCertificates.localhost.get()
    }

    /// Calls `https://host:port/` as an operator who trusts the given authority, or only the system's.
    private func call(
        _ host: String, _ server: TestServer, trusting authority: TestCertificates?, resolver: (any HostResolver)? = nil
    ) async throws -> EgressAnswer {
        let send = { @Sendable (path: String?) in
            let policy = EgressPolicy.tests {
                $0.allowsPlainHTTP = false
                $0.additionalTrustRoots = path
            }
            return try await withEgress(policy, resolver: resolver) {
                try await $0.send(EgressRequest(.get, "https://\(host):\(server.port)/", timeout: 60))
            }
        }
        guard let authority else { return try await send(nil) }
        return try await authority.withAuthorityFile { try await send($0) }
    }

    private func expectFailure(
        _ part: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> EgressAnswer
    ) async {
        let error = await #expect(throws: EgressError.self, sourceLocation: sourceLocation) { _ = try await body() }
        guard case .connectionFailed(let text) = error, text.contains(part) else {
            Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
            return
        }
    }

    @Test(
        "A server with a certificate of the operator's authority is trusted, by name and with the system's resolver")
    func trusted() async throws {
        try await withServer(.answer(.ok, body: "secure"), tls: certificates) { server in
            let answer = try await call("localhost", server, trusting: certificates)
            #expect(answer == EgressAnswer(status: 200, body: Data("secure".utf8)))
            #expect(server.requests.first?.head.headers["host"] == ["localhost:\(server.port)"])
        }
    }

    @Test("A server with a certificate of an unknown authority is rejected")
    func untrusted() async throws {
        try await withServer(.answer(.ok), tls: certificates) { server in
            await expectFailure("authority") { try await call("localhost", server, trusting: nil) }
            #expect(server.requests.isEmpty)
        }
    }

    @Test("A server is rejected when the trusted authority has the same name but another key")
    func otherAuthority() async throws {
        let other = try TestCertificates(names: ["localhost"])
        try await withServer(.answer(.ok), tls: certificates) { server in
            await expectFailure("authority") { try await call("localhost", server, trusting: other) }
            #expect(server.requests.isEmpty)
        }
    }

    @Test("A certificate for another name is rejected, even if the address is the same")
    func wrongName() async throws {
        let resolver = FakeResolver(["127.0.0.1"])
        try await withServer(.answer(.ok), tls: certificates) { server in
            await expectFailure("another name") {
                try await call("other.invalid", server, trusting: certificates, resolver: resolver)
            }
            let answer = try await call("localhost", server, trusting: certificates, resolver: resolver)
            #expect(answer.status == 200)
            #expect(server.requests.count == 1)
        }
    }

    @Test("A URL with an address needs a certificate for this address")
    func address() async throws {
        try await withServer(.answer(.ok), tls: certificates) { server in
            await expectFailure("another name") { try await call("127.0.0.1", server, trusting: certificates) }
        }
        let named = try TestCertificates(names: ["localhost"], addresses: ["127.0.0.1"])
        try await withServer(.answer(.ok), tls: named) { server in
            let answer = try await call("127.0.0.1", server, trusting: named)
            #expect(answer.status == 200)
        }
    }

    @Test("A call to a server without TLS fails")
    func plainServer() async throws {
        try await withServer(.answer(.ok)) { server in
            await expectFailure("handshake") { try await call("localhost", server, trusting: certificates) }
            #expect(server.requests.isEmpty)
        }
    }

    @Test("Additional authorities do not replace those of the system")
    func added() async throws {
        let plain = try EgressPolicy().tlsConfiguration()
        let extended = try await certificates.withAuthorityFile { path in
            try EgressPolicy(additionalTrustRoots: path).tlsConfiguration()
        }
        #expect(extended.trustRoots == plain.trustRoots)
        #expect(plain.additionalTrustRoots.isEmpty)
        #expect(extended.additionalTrustRoots.count == 1)
        #expect(extended.certificateVerification == .fullVerification)
    }

    @Test("A trust roots file without certificates is rejected at start")
    func unreadableFile() throws {
        for path in ["/nonexistent/authority.pem", #filePath] {
            #expect(throws: EgressPolicyError.unreadableTrustRoots(path)) {
                try EgressClient(policy: EgressPolicy(additionalTrustRoots: path))
            }
        }
    }
}
