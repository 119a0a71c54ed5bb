import Hummingbird
import SessionDomain

/// The limits of codes, failed checks and messages in the management API.
struct LimitsConfigRoutes: Sendable {
    let apps: AppManagement
    let delivery: DeliveryManagement

    @Sendable func get(_ request: Request, context: OperatorContext) async throws -> Response {
        try .config(LimitsConfigBody(try await apps.app(context.appID).otpLimits))
    }

    @Sendable func replace(_ request: Request, context: OperatorContext) async throws -> Response {
        let limits = try await request.decodeExactly(LimitsConfigBody.self).limits()
        return try .config(LimitsConfigBody(try await delivery.setLimits(limits, app: context.appID)))
    }
}
