import Hummingbird

/// A check of every request, which needs nothing of its handling but the context.
protocol RequestCheck: Sendable {
    func check(_ request: Request, _ context: ServiceRequestContext) throws
}
