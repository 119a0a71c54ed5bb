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
        let verifier = try SessionVerifier(
            service: environment["SERVICE"] ?? "http://localhost:8080", audience: environment["AUDIENCE"] ?? "devapp1",
            resources: [environment["PUBLIC_URL"] ?? "http://localhost:\(port)"])
        try await Application(
            router: router(verifier),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port))
        ).runService()
    }

    /// Makes the routes. The verifier is a parameter, so that tests use another one.
    static func router(_ verifier: SessionVerifier) -> Router<VerifiedContext> {
        let router = Router(context: VerifiedContext.self)
        router.get("/health") { _, _ in "ok" }

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
}

struct Note: ResponseEncodable {
    let id: Int
    let text: String
}

struct Balance: ResponseEncodable {
    let owner: String
    let cents: Int
}
