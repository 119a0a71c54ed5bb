import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import SessionDomain
import SessionWire
import Testing

@testable import SessionHTTP

/// A middleware or route that runs before the middleware whose result it needs must fail, and not use a default.
@Suite("Middleware order")
struct MiddlewareOrderTests {
    private let context = ServiceRequestContext(logger: Logger(label: "test"), peerAddress: "127.0.0.1")

    private func client(isBrowser: Bool = false) throws -> Client {
        try Client.test(isBrowser ? .of(("origin", "https://app.example")) : [:])
    }

    @Test("A context of a route cannot be created before ClientMiddleware has run")
    func clientIsMissing() {
        let error = MiddlewareOrderError(missing: ClientMiddleware.self)
        #expect(throws: error) { try AppContext(context: context) }
        #expect(throws: error) { try ProofBoundContext(context: context) }
        #expect(throws: error) { try SignedInContext(context: context) }
    }

    @Test("A context with a client but without an app is rejected")
    func appIsMissing() throws {
        var context = context
        context.results.client = try client()
        #expect(throws: MiddlewareOrderError(missing: ClientMiddleware.self)) { try AppContext(context: context) }
    }

    @Test("A proof-bound context cannot be created before ProofMiddleware has run")
    func proofIsMissing() async throws {
        var context = context
        context.results.client = try client()
        context.results.app = try await EdgeWorld.shared.value.service.directory.app(host: EdgeWorld.host)
        #expect(throws: MiddlewareOrderError(missing: ProofMiddleware.self)) { try ProofBoundContext(context: context) }
        context.results.proof = .absent
        #expect(try ProofBoundContext(context: context).proof == nil)
    }

    @Test("A signed-in context cannot be created before AccessTokenMiddleware has run")
    func callerIsMissing() async throws {
        var context = context
        context.results.client = try client()
        context.results.app = try await EdgeWorld.shared.value.service.directory.app(host: EdgeWorld.host)
        context.results.proof = .absent
        #expect(throws: MiddlewareOrderError(missing: AccessTokenMiddleware.self)) {
            try SignedInContext(context: context)
        }
    }

    @Test("An operator's context cannot be created before ManagementKeyMiddleware has run")
    func managementKeyIsMissing() {
        let error = MiddlewareOrderError(missing: ManagementKeyMiddleware.self)
        #expect(throws: error) { try OperatorContext(context: context) }
        #expect(throws: error) { try AllAppsContext(context: context) }
    }

    @Test("A key of one app cannot create the context for all apps", arguments: [true, false])
    func keyOfOneApp(isForOneApp: Bool) throws {
        var context = context
        context.results.managementKey = ManagementKey(
            id: "mk_1", name: "test", appID: isForOneApp ? try TestApp.id() : nil, hash: "",
            createdAt: Timestamp(seconds: 0))
        if isForOneApp {
            #expect(throws: Refusal.unauthorized) { try AllAppsContext(context: context) }
        } else {
            #expect(throws: Never.self) { try AllAppsContext(context: context) }
        }
    }

    @Test("Every middleware that needs a client fails with 500 and without details if ClientMiddleware comes later")
    func middlewareWithoutClient() async throws {
        let world = try await EdgeWorld.shared.value
        let middleware: [any RouterMiddleware<ServiceRequestContext>] = [
            ProofMiddleware(log: ProofTargetLog(environment: .live)), WWWAuthenticateMiddleware(),
            AccessTokenMiddleware(authenticator: world.service.authenticator),
        ]
        for early in middleware {
            let router = Router(context: ServiceRequestContext.self)
            router.add(middleware: RequestMiddleware(environment: .live, edge: EdgeOptions()))
            router.add(middleware: Erased(middleware: early))
            router.add(
                middleware: ClientMiddleware(
                    options: EdgeOptions(), directory: world.service.directory, now: world.service.environment.now))
            router.get("/path") { _, _ in Response(status: .ok) }
            let head = HTTPRequest(
                method: .get, scheme: "https", authority: EdgeWorld.host, path: "/path",
                headerFields: .of(("origin", "https://app.example"), ("dpop", "x")))
            let response = try await router.buildResponder().respond(
                to: Request(head: head, body: RequestBody(buffer: ByteBuffer())), context: context)
            #expect(response.status == .internalServerError, "\(type(of: early))")
            let mapped = WireRefusal(MiddlewareOrderError(missing: ClientMiddleware.self))
            #expect(mapped.code == .internal && !mapped.message.contains("Middleware"))
        }
    }

    @Test("The error names the middleware that has not run")
    func description() {
        #expect("\(MiddlewareOrderError(missing: ProofMiddleware.self))".hasPrefix("ProofMiddleware has not run"))
    }
}

/// Adds a middleware of any type to a router.
private struct Erased: RouterMiddleware {
    typealias Context = ServiceRequestContext

    let middleware: any RouterMiddleware<ServiceRequestContext>

    func handle(
        _ request: Request, context: ServiceRequestContext,
        next: (Request, ServiceRequestContext) async throws -> Response
    ) async throws -> Response {
        try await middleware.handle(request, context: context, next: next)
    }
}
