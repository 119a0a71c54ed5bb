package import Hummingbird

/// Frees the place of a request in `RequestsInWork` when its response is computed, and runs it in a task of its own.
///
/// A client can take long to read a response, or never read it. Until then the place would be lost for others. Swift
/// frees the memory of a task when the task ends. The task of a connection lives as long as the connection, so a request
/// in it would leave its memory to an idle connection.
@available(service, *)
package struct CountedResponder<Responder: HTTPResponder>: HTTPResponder
where Responder.Context == ServiceRequestContext {
    private let responder: Responder
    private let work: RequestsInWork

    package init(_ responder: Responder, work: RequestsInWork) {
        self.responder = responder
        self.work = work
    }

    package func respond(to request: Request, context: ServiceRequestContext) async throws -> Response {
        defer { if let connection = context.connection { work.finish(on: connection) } }
        return try await withThrowingTaskGroup(of: Response.self) { group in
            group.addTask { try await responder.respond(to: request, context: context) }
            guard let response = try await group.next() else { throw CancellationError() }
            return response
        }
    }
}
