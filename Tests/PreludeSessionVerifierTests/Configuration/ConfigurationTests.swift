import Foundation
import PreludeSessionVerifier
import SessionConformance
import SessionTokens
import Testing

/// Invalid parameters and options of a verifier.
@Suite("Verifier: configuration")
struct ConfigurationTests {
    private func field(
        service: String = Backend.service, audience: String = Backend.audience, resources: [String] = [],
        _ configure: (inout VerifierOptions) -> Void = { _ in }
    ) -> String? {
        var options = VerifierOptions()
        configure(&options)
        do {
            _ = try SessionVerifier(
                service: service, audience: audience, resources: resources, options: options,
                keySource: ScriptedKeySource(Data()))
            return nil
        } catch {
            return error.field
        }
    }

    @Test(
        "The service is an https origin or a loopback origin",
        arguments: [
            "https://app.example.com", "https://app.example.com/", "https://app.example.com:8443",
            "http://localhost:8080", "http://127.0.0.1:8080", "http://[::1]:8080",
        ])
    func service(_ service: String) { #expect(field(service: service) == nil) }

    @Test(
        "A service that is not an origin or not https is rejected",
        arguments: [
            "", "app.example.com", "https://", "https://app.example.com/v1", "https://app.example.com?x=1",
            "https://app.example.com#x", "https://user@app.example.com", "http://app.example.com",
            "http://localhost.evil.example", "http://127.0.0.2:8080", "ftp://app.example.com",
            "https://app example.com",
        ])
    func notAService(_ service: String) { #expect(field(service: service) == "service") }

    @Test("The expected issuer is the host of the service without the port")
    func issuer() async throws {
        let source = ScriptedKeySource(try Backend.keySet([PublishedKeys.service]))
        let clock = AdjustableClock()
        var options = VerifierOptions()
        options.environment = clock.environment
        let verifier = try SessionVerifier(
            service: "http://localhost:8080", audience: "devapp1", options: options, keySource: source)
        let token = TokenDraft(
            signer: PublishedKeys.service, issuer: "localhost", audience: "devapp1", now: clock.seconds)
        #expect(try await verifier.verify(token.compact()).userID == "usr_1")
        let withPort = token.with { $0.claims["iss"] = "localhost:8080" }
        #expect(try await verifier.rejection(of: withPort.compact()).reason == .wrongIssuer)
    }

    @Test("With two configured issuers, tokens of these issuers are accepted and all others rejected")
    func issuers() async throws {
        let backend = try Backend { $0.issuers = ["login.example.com", Backend.issuer] }
        func token(_ issuer: String) throws -> String {
            try TokenDraft(
                signer: backend.signer, issuer: issuer, audience: Backend.audience, now: backend.clock.seconds
            ).compact()
        }
        for issuer in ["login.example.com", Backend.issuer] {
            #expect(try await backend.verifier.verify(token(issuer)).userID == "usr_1")
        }
        let error = await #expect(throws: VerificationError.self) {
            try await backend.verifier.verify(token("evil.example.com"))
        }
        #expect(error?.reason == .wrongIssuer)
        #expect(throws: VerifierConfigurationError.self) { try Backend { $0.issuers = [] } }
    }

    @Test("An empty audience is rejected")
    func audience() { #expect(field(audience: "") == "audience") }

    @Test(
        "A resource that is not an http or https URL without query and fragment is rejected",
        arguments: ["", "api.example.com", "https://api.example.com?x", "https://api.example.com#x", "/v1"])
    func resources(_ resource: String) {
        #expect(field(resources: [Backend.resource, resource]) == "resources")
    }

    @Test("A resource must be https or on loopback (RFC 9449 §2, D1)")
    func plainResources() {
        #expect(field(resources: ["http://api.example.com"]) == "resources")
        #expect(field(resources: ["http://localhost.example.com"]) == "resources")
        for resource in ["http://localhost:8081", "http://127.0.0.1:8081", "http://[::1]:8081"] {
            #expect(field(resources: [resource]) == nil)
        }
    }

    @Test("The leeway must be 0 to 300 seconds", arguments: [-0.1, 300.1, .infinity, .nan])
    func leeway(_ seconds: Double) {
        #expect(field { $0.leeway = seconds } == "options.leeway")
        #expect(field { $0.leeway = 0 } == nil)
        #expect(field { $0.leeway = 300 } == nil)
    }

    @Test("The proof window must be 5 to 300 seconds", arguments: [0, 4.9, 300.1, .infinity, .nan])
    func proofWindow(_ seconds: Double) {
        #expect(field { $0.proofWindow = seconds } == "options.proofWindow")
        #expect(field { $0.proofWindow = 5 } == nil)
        #expect(field { $0.proofWindow = 300 } == nil)
    }

    @Test("Options without a supported algorithm are rejected", arguments: [[], ["none"], ["HS256", "PS256"]])
    func algorithms(_ names: [String]) {
        #expect(field { $0.algorithms = Set(names.map(SignatureAlgorithmName.init)) } == "options.algorithms")
    }

    @Test("A nonce secret that does not have 32 bytes is rejected", arguments: [0, 31, 33])
    func secret(_ count: Int) {
        let secret = Data(repeating: 1, count: count)
        #expect(field { $0.nonces = .always(secret: secret) } == "options.nonces")
        #expect(field { $0.nonces = .whenNeeded(secret: secret) } == "options.nonces")
        #expect(field { $0.nonces = .always(secret: Backend.secret, older: [secret]) } == "options.nonces")
        #expect(field { $0.nonces = .whenNeeded(secret: Backend.secret, older: [secret]) } == "options.nonces")
    }

    @Test("Times of the key cache that are negative or NaN are rejected", arguments: [-1, .nan])
    func keyCache(_ seconds: Double) {
        #expect(field { $0.keys.minimumInterval = seconds } == "options.keys")
        #expect(field { $0.keys.lifetime = seconds } == "options.keys")
        #expect(field { $0.keys.maximumLifetime = seconds } == "options.keys")
        #expect(field { $0.keys.maximumStaleness = seconds } == "options.keys")
        #expect(field { $0.keys.minimumRetryInterval = seconds } == "options.keys")
    }

    @Test("Times of the key cache that contradict each other are rejected")
    func keyCacheOrder() {
        #expect(field { $0.keys.lifetime = 20 } == "options.keys")
        #expect(field { $0.keys.lifetime = 4000 } == "options.keys")
        #expect(field { $0.keys.minimumInterval = 0.5 } == "options.keys")
        #expect(field { $0.keys.maximumStaleness = 0 } == nil)
    }

    @Test("The error for an invalid configuration names the field and the valid values")
    func description() throws {
        let error = try #require(throws: VerifierConfigurationError.self) {
            try SessionVerifier(service: "app.example.com", audience: "testapp")
        }
        #expect("\(error)" == "service must be an origin such as https://session.example.com")
    }
}
