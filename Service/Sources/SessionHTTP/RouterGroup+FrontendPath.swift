import Hummingbird
import SessionWire

/// Routes of the frontend API take their paths from `FrontendPath`, which the SDK uses, too.
extension RouterGroup {
    @discardableResult
    func get(
        _ path: FrontendPath, use handler: @escaping @Sendable (Request, Context) async throws -> Response
    ) -> Self {
        on(RouterPath(path.rawValue), method: .get, use: handler)
    }

    @discardableResult
    func post(
        _ path: FrontendPath, use handler: @escaping @Sendable (Request, Context) async throws -> Response
    ) -> Self {
        on(RouterPath(path.rawValue), method: .post, use: handler)
    }
}
