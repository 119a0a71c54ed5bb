import HTTPTypes
import Hummingbird
import SessionDomain
import SessionHTTP
import SessionWire
import Testing

@Suite("Routes")
struct RouterTests {
    private struct Route: CustomStringConvertible {
        let method: HTTPRequest.Method
        /// With a value for each parameter.
        let path: String
        var description: String { "\(method.rawValue) \(path)" }
    }

    private func routes(of world: EdgeWorld) -> [Route] {
        buildRouter(service: world.service, edge: EdgeOptions()).routes.map { route in
            let path = route.path.description.replacing("{app_id}", with: "testapp").replacing(/{[a-z_]+}/, with: "x")
            return Route(method: route.method, path: path)
        }
    }

    @Test("Every route of the management API requires a management key")
    func managementKey() async throws {
        let world = try await EdgeWorld.shared.value
        let routes = routes(of: world).filter { $0.path.hasPrefix("/v2/") }
        #expect(routes.count > 40)
        for route in routes {
            for headers in [[:], HTTPFields.of(("authorization", "Bearer psk_wrong"))] {
                let response = try await world.call(route.method, route.path, headers, json: "{}")
                #expect(response.status == 401, "\(route)")
            }
        }
    }

    // Proves: G2
    @Test("A management key with the role read can read, and gets 403 for every route that is not GET")
    func readOnlyKey() async throws {
        let world = try await EdgeWorld()
        let secret = try await world.service.managementKeys.create(name: "test", app: nil, role: .read).secret
        let headers = HTTPFields.of(("authorization", "Bearer " + secret))
        let routes = routes(of: world).filter { $0.path.hasPrefix("/v2/") }
        #expect(routes.count { $0.method != .get } > 30)
        for route in routes {
            let response = try await world.call(route.method, route.path, headers, json: "{}")
            #expect((response.status == 403) == (route.method != .get), "\(route): \(response.text)")
            guard route.method != .get else { continue }
            #expect(response.code == "forbidden")
            #expect(response.message == "the management key has the role read; this call needs the role write")
        }
        #expect(try await world.call(.get, "/v2/session/apps/testapp", headers).status == 200)
    }

    // Proves: N8
    @Test("Every GET route of the management API answers HEAD, without a body and without a change (RFC 9110 §9.3.2)")
    func heads() async throws {
        let world = try await EdgeWorld()
        let secret = try await world.service.managementKeys.create(name: "test", app: nil, role: .read).secret
        let headers = HTTPFields.of(("authorization", "Bearer " + secret))
        for route in routes(of: world) where route.path.hasPrefix("/v2/") && route.method == .get {
            let (get, head) = (
                try await world.call(.get, route.path, headers), try await world.call(.head, route.path, headers)
            )
            #expect(head.status == get.status && head.text.isEmpty, "\(route)")
            #expect(head.header("content-length") != nil, "\(route)")
            #expect(try await world.call(.head, route.path).status == 401, "\(route)")
        }
    }

    @Test("HEAD of a path without GET is 404 without a body")
    func headsOfOtherRoutes() async throws {
        let world = try await EdgeWorld.shared.value
        for path in ["/absent", "/v1/session/refresh"] {
            let response = try await world.call(.head, path)
            #expect(response.status == 404 && response.text.isEmpty, "\(path)")
        }
    }

    @Test("Every call of a signed-in user requires an access token")
    func accessToken() async throws {
        let world = try await EdgeWorld.shared.value
        let routes = routes(of: world).filter {
            $0.method != .options && ($0.path.contains("/me/") || $0.path.hasSuffix("/stepup/request"))
        }
        #expect(routes.count == 10)
        for route in routes {
            let response = try await world.call(route.method, route.path, json: "{}")
            #expect(response.status == 401, "\(route)")
            #expect(response.header("www-authenticate") != nil, "\(route)")
        }
    }

    @Test("No route lacks the middleware that it needs")
    func noServerError() async throws {
        let world = try await EdgeWorld()
        let operatorHeaders = try await world.operatorHeaders()
        for route in routes(of: world) {
            for headers in [[:], HTTPFields.of(("origin", "https://testapp.session.test")), operatorHeaders] {
                let response = try await world.call(route.method, route.path, headers, json: "{}")
                #expect(response.status < 500, "\(route): \(response.text)")
            }
        }
    }

    @Test("Every path of the wire has a route and a preflight route")
    func frontendPaths() async throws {
        let routes = routes(of: try await EdgeWorld.shared.value)
        for path in FrontendPath.allCases {
            let filled = path.rawValue.replacing(/{[a-z_]+}/, with: "x")
            let methods = routes.filter { $0.path == filled }.map(\.method)
            let others = Set(methods).subtracting([.options])
            // A passkey is renamed and deleted. Every other path has one method.
            #expect(
                others == [.get] || others == [.post] || (path == .passkey && others == [.patch, .delete]),
                "\(path): \(methods)")
            #expect(methods.count == others.count + 1, "\(path): \(methods)")
        }
    }

    // Proves: G10
    @Test("Each of two listeners serves its API and health checks, and together they serve all routes")
    func listeners() async throws {
        let world = try await EdgeWorld.shared.value
        func paths(_ api: ServedAPI) -> [String] {
            buildRouter(service: world.service, edge: EdgeOptions(), mailbox: world.mailbox, api: api).routes
                .map { "\($0.method.rawValue) \($0.path)" }
        }
        let (frontend, management) = (paths(.frontend), paths(.management))
        #expect(!frontend.contains { $0.contains("/v2/") })
        let shared: Set = ["GET /health", "GET /livez", "GET /openapi.yaml", "GET /readyz"]
        // Proxies ask for it, from the inside.
        let ofProxies = "GET /v1/session/verify"
        #expect(management.allSatisfy { $0.contains("/v2/") || shared.contains($0) || $0 == ofProxies })
        #expect(Set(frontend).intersection(management) == shared)
        #expect(Set(frontend).union(management) == Set(paths(.all)))
    }

    @Test("The mailbox routes exist with a mailbox only")
    func mailbox() async throws {
        let world = try await EdgeWorld.shared.value
        let with = buildRouter(service: world.service, edge: EdgeOptions(), mailbox: world.mailbox).routes
        let without = buildRouter(service: world.service, edge: EdgeOptions()).routes
        #expect(with.count == without.count + 2)
        #expect(!without.contains { $0.path.description.hasPrefix("/dev") })
    }
}
