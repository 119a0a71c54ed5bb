import Hummingbird
import SessionDomain

/// Answers 200 if the store of this node can be read, otherwise with an error.
@available(service, *)
struct HealthRoute: Sendable {
    let store: any ServiceStore

    private struct Health: Encodable { let status = "ok" }

    @Sendable func show(_ request: Request, context: ServiceRequestContext) async throws -> Response {
        _ = try await store.managementKeys()
        return try .json(Health())
    }
}
