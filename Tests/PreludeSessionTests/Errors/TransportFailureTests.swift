import Foundation
import HTTPTypes
import Testing

@_spi(Service) @testable import PreludeSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Why a request got no response")
struct TransportFailureTests {
    private func failure(_ error: any Error, from origin: String = "https://app1234.example.com") throws
        -> PreludeTransportFailure
    {
        let converted = PreludeSessionError.transportError(error, from: origin) as? PreludeSessionError
        return try #require(converted?.transportFailure)
    }

    @Test(
        "An error of URLSession has a cause, and its text names the host and says what to check",
        arguments: [
            (
                URLError.Code.serverCertificateUntrusted, PreludeTransportFailure.Cause.untrustedCertificate,
                "Check that the certificate"
            ),
            (.serverCertificateHasBadDate, .untrustedCertificate, "the date of this device"),
            (.serverCertificateHasUnknownRoot, .untrustedCertificate, "an authority that this device trusts"),
            (.cannotFindHost, .nameNotFound, "Check the spelling of the endpoint"),
            (.dnsLookupFailed, .nameNotFound, "Check the spelling of the endpoint"),
            (.cannotConnectToHost, .refused, "Check that the service runs"),
            (.networkConnectionLost, .connectionLost, "check proxies"),
            (.notConnectedToInternet, .offline, "when there is a network"),
            (.secureConnectionFailed, .secureConnectionFailed, "speaks TLS"),
            (.appTransportSecurityRequiresSecureConnection, .plainHTTPForbidden, "https endpoint"),
            (.badServerResponse, .invalidResponse, "is the session service"),
            (.unknown, .other, "Try again later"),
        ])
    func urlErrors(code: URLError.Code, cause: PreludeTransportFailure.Cause, advice: String) throws {
        let failure = try failure(URLError(code))
        #expect(failure.cause == cause)
        #expect(failure.host == "app1234.example.com")
        let text = PreludeSessionError.network(underlying: failure).localizedDescription
        #expect(text.hasPrefix("app1234.example.com ") && text.contains(advice) && text.hasSuffix("a session is kept."))
    }

    @Test("An error of URLSession stays the payload, so that an app can compare its code")
    func payload() throws {
        for error in [URLError(.cannotFindHost), PreludeSessionError.network(underlying: URLError(.cannotFindHost))]
            as [any Error]
        {
            let converted = PreludeSessionError.transportError(error, from: "https://a.example:8443")
            guard case PreludeSessionError.network(let cause) = converted else { return #expect(Bool(false)) }
            #expect((cause as? URLError)?.code == .cannotFindHost)
            #expect((converted as? PreludeSessionError)?.transportFailure?.host == "a.example:8443")
        }
    }

    @Test("The host is that of the failed request, and no text has its path or query")
    func noQuery() throws {
        let url = try #require(URL(string: "https://b.example/me/revoke?session_id=ses_secret"))
        let failure = try failure(URLError(.cannotConnectToHost, userInfo: [NSURLErrorFailingURLErrorKey: url]))
        #expect(failure.host == "b.example")
        let error = PreludeSessionError.network(underlying: failure.underlying)
        var dumped = ""
        dump(failure, to: &dumped)
        dump(error, to: &dumped)
        for text in [error.localizedDescription, "\(error)", "\(failure)", failure.localizedDescription, dumped] {
            #expect(!text.contains("secret") && !text.contains("revoke"), "\(text)")
        }
    }

    @Test(
        "For a service on the developer's machine the text says whose machine localhost is",
        arguments: ["http://localhost:8080", "http://127.0.0.1:8080", "http://[::1]:8080"])
    func loopback(origin: String) throws {
        let text = try failure(URLError(.cannotConnectToHost), from: origin).summary
        #expect(text.contains("On a phone or in a container"))
        #expect(text.hasPrefix(origin.dropFirst("http://".count) + " refused the connection."))
    }

    @Test("A transport's own failure is kept as it is, and a response that is too large has a cause")
    func ownFailure() throws {
        let own = PreludeTransportFailure(
            host: "own.example", cause: .untrustedCertificate, underlying: URLError(.unknown))
        #expect(try failure(own).host == "own.example")
        #expect(try failure(PreludeSessionError.network(underlying: own)).cause == .untrustedCertificate)
        #expect(try failure(AnswerTooLarge()).cause == .invalidResponse)
    }

    @Test("The answer of a gateway names host and status")
    func gateway() {
        let answer = APIResponse(status: 503, fields: [:], body: Data("<html>".utf8))
        let error = ErrorResponse(answer, at: "a.example", now: Date(timeIntervalSince1970: 0)).error
        #expect(
            error.localizedDescription.hasPrefix(
                "a.example did not answer: the gateway in front of it returned status 503."))
        #expect(error.transportFailure == nil)
    }

    @Test(
        "On Linux the cause of an error of TLS is in its text",
        arguments: [
            ("SSL certificate problem: self-signed certificate", PreludeTransportFailure.Cause.untrustedCertificate),
            ("SSL certificate problem: certificate has expired", .untrustedCertificate),
            (
                "SSL: no alternative certificate subject name matches target host name 'a.example'",
                .untrustedCertificate
            ),
            ("OpenSSL/3.0: error:0A00010B:SSL routines::wrong version number", .secureConnectionFailed),
            ("TLS connect error", .secureConnectionFailed), ("Weird server reply", .other),
        ])
    func curl(text: String, cause: PreludeTransportFailure.Cause) throws {
        let info = [NSLocalizedDescriptionKey: text]
        #expect(try failure(URLError(.unknown, userInfo: info)).cause == cause)
        // Another code means what it says.
        #expect(try failure(URLError(.cannotFindHost, userInfo: info)).cause == .nameNotFound)
    }

    @Test("A port without a service is refused, by name")
    func refused() async throws {
        // Port 1 of loopback: reserved, and without a service on a test machine.
        let request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:1", path: "/")
        let error = await #expect(throws: PreludeSessionError.self) {
            _ = try await PreludeURLSessionTransport().send(request, body: nil, timeout: 600)
        }
        #expect(error?.transportFailure?.cause == .refused)
        #expect(error?.localizedDescription.hasPrefix("127.0.0.1:1 refused the connection.") == true)
    }
}
