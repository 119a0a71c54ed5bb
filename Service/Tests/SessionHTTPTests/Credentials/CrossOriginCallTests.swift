import HTTPTypes
import SessionDomain
import SessionWire
import Testing

@Suite("CORS")
struct CrossOriginCallTests {
    private static let origin = EdgeWorld.allowedOrigin

    private func world() async throws -> EdgeWorld { try await EdgeWorld.shared.value }

    private func expectCORS(_ response: EdgeResponse, origin: String = Self.origin) {
        #expect(response.header("access-control-allow-origin") == origin)
        #expect(response.header("access-control-allow-credentials") == "true")
        #expect(
            response.header("access-control-expose-headers")
                == "Date, DPoP-Nonce, Retry-After, WWW-Authenticate, X-Request-Id, X-Trusted-Device, "
                + "X-Verification-Token")
        #expect(response.header("vary") == "Origin")
    }

    @Test("A preflight request of a listed origin is answered", arguments: FrontendPath.allCases)
    func preflight(_ path: FrontendPath) async throws {
        let response = try await world().call(.options, path.rawValue, [.origin: Self.origin])
        #expect(response.status == 204)
        #expect(response.header("access-control-allow-methods") == "GET, POST, PATCH, DELETE")
        #expect(
            response.header("access-control-allow-headers")
                == "Authorization, Content-Type, DPoP, User-Agent, X-Device-Id, X-Trusted-Device, "
                + "X-Verification-Token")
        #expect(response.header("access-control-max-age") == "600")
        expectCORS(response)
    }

    @Test(
        "The app's own origins are allowed",
        arguments: ["https://testapp.session.test", "https://login.customer.example"])
    func ownOrigins(_ origin: String) async throws {
        let response = try await world().call(.get, FrontendPath.jwks.rawValue, [.origin: origin])
        #expect(response.status == 200)
        expectCORS(response, origin: origin)
    }

    @Test("Another origin gets 403 and no CORS headers", arguments: [HTTPRequest.Method.options, .get, .post])
    func otherOrigin(_ method: HTTPRequest.Method) async throws {
        let path = method == .get ? FrontendPath.jwks : .refresh
        let response = try await world().call(method, path.rawValue, [.origin: "https://evil.example"])
        #expect(response.status == 403)
        #expect(response.code == "forbidden")
        #expect(response.header("access-control-allow-origin") == nil)
        #expect(response.header("access-control-allow-credentials") == nil)
    }

    @Test("An origin that another app allows gets 403")
    func originOfAnotherApp() async throws {
        let world = try await EdgeWorld { $0.allowedOrigins = [Self.origin] }
        let id = try #require(AppID("another"))
        _ = try await world.service.apps.create(id: id, name: "Another") { _ in }
        let response = try await world.call(
            .post, FrontendPath.refresh.rawValue, [.origin: Self.origin], host: "another.session.test")
        #expect(response.status == 403)
    }

    @Test("A page can read error responses")
    func errorResponse() async throws {
        let response = try await world().call(.post, FrontendPath.refresh.rawValue, [.origin: Self.origin], json: "{}")
        #expect(response.status == 401)
        #expect(response.code == "unauthorized")
        expectCORS(response)
    }

    @Test("A page can read the 404 of an unknown path", arguments: ["/v1/session/unknown", "/v1/session/otp/x", "/x"])
    func unknownPath(_ path: String) async throws {
        let world = try await world()
        for method in [HTTPRequest.Method.get, .post] {
            let response = try await world.call(method, path, [.origin: Self.origin])
            #expect(response.status == 404)
            #expect(response.code == "not_found")
            expectCORS(response)
        }
        let preflight = try await world.call(.options, path, [.origin: Self.origin])
        #expect(preflight.status == 204)
        expectCORS(preflight)
    }

    @Test(
        "A page can read why its request is rejected before any route sees it",
        arguments: [("/v1/session/otp/", 404), ("//v1/session/otp", 404), ("/", 404), ("/v1/session/refresh", 400)])
    func rejectedRequest(_ path: String, status: Int) async throws {
        let world = try await world()
        // Refused where the path is right.
        let headers = HTTPFields.of(("origin", Self.origin), ("x-device-id", "x"))
        let response = try await world.call(.post, path, headers, json: "{}")
        #expect(response.status == status)
        expectCORS(response)
        let preflight = try await world.call(.options, path, headers)
        #expect(preflight.status == 204)
        #expect(preflight.header("access-control-allow-methods") == "GET, POST, PATCH, DELETE")
        expectCORS(preflight)
    }

    @Test(
        "Other origins cannot read why their request is rejected", arguments: ["/v1/session/otp/", "/v1/session/otp"])
    func rejectedRequestOfOthers(_ path: String) async throws {
        for method in [HTTPRequest.Method.options, .post] {
            let response = try await world().call(
                method, path, .of(("origin", "https://evil.example"), ("x-device-id", "x")), json: "{}")
            #expect(response.status >= 400)
            #expect(response.header("access-control-allow-origin") == nil)
        }
    }

    @Test("An unknown path gives another origin 403, and callers without Origin a plain 404")
    func unknownPathOfOthers() async throws {
        let foreign = try await world().call(.get, "/v1/session/unknown", [.origin: "https://evil.example"])
        #expect(foreign.status == 403)
        #expect(foreign.header("access-control-allow-origin") == nil)
        let plain = try await world().call(.get, "/v1/session/unknown")
        #expect(plain.status == 404)
        #expect(plain.header("access-control-allow-origin") == nil)
    }

    @Test("An unknown path of the management API has no CORS headers")
    func unknownPathOfManagement() async throws {
        let response = try await world().call(.get, "/v2/session/unknown", [.origin: Self.origin])
        #expect(response.status == 404)
        #expect(response.header("access-control-allow-origin") == nil)
    }

    @Test("A request without Origin gets no CORS headers")
    func noOrigin() async throws {
        for headers in [[:], HTTPFields.of(("sec-fetch-site", "same-origin"))] {
            let response = try await world().call(.get, FrontendPath.jwks.rawValue, headers)
            #expect(response.status == 200)
            #expect(response.header("access-control-allow-origin") == nil)
        }
    }

    @Test(
        "A cache may give a response to a page only if it was made for that page (RFC 9110 §12.5.5)",
        arguments: [FrontendPath.jwks, .stepUpJWKS, .metadata])
    func caches(_ path: FrontendPath) async throws {
        for headers in [[:], [HTTPField.Name.origin: Self.origin]] as [HTTPFields] {
            let response = try await world().call(.get, path.rawValue, headers)
            #expect(response.header("cache-control") == "public, max-age=300")
            #expect(response.header("vary") == "Origin")
        }
    }

    @Test("A form of another site without Origin gets 403")
    func crossSiteForm() async throws {
        let response = try await world().call(
            .post, FrontendPath.refresh.rawValue, .of(("sec-fetch-site", "cross-site")), json: "{}")
        #expect(response.status == 403)
    }

    @Test("The management API has no CORS headers")
    func management() async throws {
        let world = try await world()
        var headers = try await world.operatorHeaders()
        headers[.origin] = Self.origin
        let response = try await world.call(.get, "/v2/session/apps", headers)
        #expect(response.status == 200)
        #expect(response.header("access-control-allow-origin") == nil)
    }
}
