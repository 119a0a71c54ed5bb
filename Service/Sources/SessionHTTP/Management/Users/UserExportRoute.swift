import Hummingbird
import SessionDomain

/// All that is stored about a user, in the management API.
struct UserExportRoute: Sendable {
    let exports: DataExports

    @Sendable func show(_ request: Request, context: OperatorContext) async throws -> Response {
        try .file(of: try await exports.user(try context.userID, app: context.appID))
    }
}
