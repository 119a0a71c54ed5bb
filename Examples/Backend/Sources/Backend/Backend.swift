import Foundation
import Hummingbird
import PreludeSessionHummingbird
import PreludeSessionVerifier

/// A backend in one file: signed-in users see their notes and their balance, and a transfer needs a step-up.
///
/// Run it beside the service: `SERVICE=http://localhost:8080 AUDIENCE=devapp1 PORT=8081 swift run Backend`
@main
struct Backend {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        let port = environment["PORT"].flatMap { Int($0) } ?? 8081
        let service = environment["SERVICE"] ?? "http://localhost:8080"
        let verifier = try SessionVerifier(
            service: service, audience: environment["AUDIENCE"] ?? "devapp1",
            resources: [environment["PUBLIC_URL"] ?? "http://localhost:\(port)"])
        try await Application(
            router: router(verifier, hooks: HookVerifier(service: service)),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port))
        ).runService()
    }

    /// Makes the routes. The verifiers are parameters, so that tests use others.
    static func router(_ verifier: SessionVerifier, hooks: HookVerifier) -> Router<VerifiedContext> {
        let router = Router(context: VerifiedContext.self)
        router.get("/health") { _, _ in "ok" }

        router.post("/hooks/send") { request, _ in try await decision(about: request, hooks: hooks) }

        router.group("/notes").add(middleware: VerifierMiddleware(verifier))
            .get { _, context in
                [Note(id: 1, text: "Buy milk"), Note(id: 2, text: "A note of \(try context.requireUser().userID)")]
            }

        let accounts = router.group("/accounts").add(middleware: VerifierMiddleware(verifier))
        accounts.get("/balance") { _, context in
            Balance(owner: try context.requireUser().userID, cents: 1200)
        }
        accounts.group().add(middleware: ScopeMiddleware(stepUp: "transfer:write"))
            .post("/transfers") { _, _ in HTTPResponse.Status.accepted }
        return router
    }

    /// The send hook: the service asks before it sends a code. This backend sends none to phones that get no SMS.
    private static func decision(about request: Request, hooks: HookVerifier) async throws -> SendDecision {
        let body = Data(buffer: try await request.body.collect(upTo: 65_536))
        do {
            try await hooks.verify(body, headerFields: request.headers)
        } catch {
            throw HTTPError(error == .keysUnavailable ? .serviceUnavailable : .unauthorized, message: error.rawValue)
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let call = try decoder.decode(SendCall.self, from: body)
        return SendDecision(decision: call.identifier.lineType == "other" ? "other_channel" : "allow")
    }
}

/// What the service asks before it sends a code.
struct SendCall: Decodable {
    struct Identifier: Decodable {
        let type: String
        let lineType: String?
    }

    let identifier: Identifier
}

struct SendDecision: ResponseEncodable {
    let decision: String
}

struct Note: ResponseEncodable {
    let id: Int
    let text: String
}

struct Balance: ResponseEncodable {
    let owner: String
    let cents: Int
}
