import Hummingbird
import SessionDomain

/// Whether this node can answer: 200 when its store does, else the error that says it cannot.
struct HealthRoute: Sendable {
    let store: any ServiceStore

    private struct Health: Encodable { let status = "ok" }

    @Sendable func show(_ request: Request, context: AnonymousContext) async throws -> Response {
        _ = try await store.managementKeys()
        return try .json(Health())
    }
}
