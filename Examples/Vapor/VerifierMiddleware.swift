import HTTPTypes
import PreludeSessionVerifier
import Vapor

/// Verifies access tokens in a backend on Vapor 4. Copy it. It is type-checked with a stand-in for Vapor, and has not been
/// run.
struct VerifierMiddleware: AsyncMiddleware {
    let verifier: SessionVerifier
    /// The scope that the routes need, such as `transfer:write`. Apps get it by a step-up.
    var stepUp: String?

    func respond(to request: Request, chainingTo next: any AsyncResponder) async throws -> Response {
        guard let method = HTTPRequest.Method(request.method.rawValue) else { throw Abort(.badRequest) }
        var head = HTTPRequest(method: method, scheme: nil, authority: nil, path: request.url.string)
        for (name, value) in request.headers {
            if let name = HTTPField.Name(name) { head.headerFields.append(HTTPField(name: name, value: value)) }
        }
        do {
            let user = try await verifier.verify(head)
            if let stepUp { try user.require(stepUp: stepUp) }
            request.storage[VerifiedUserKey.self] = user
        } catch {
            let response = Response(status: HTTPResponseStatus(statusCode: error.status.code))
            for field in error.headerFields { response.headers.add(name: field.name.rawName, value: field.value) }
            return response
        }
        let response = try await next.respond(to: request)
        for field in verifier.nextHeaderFields { response.headers.add(name: field.name.rawName, value: field.value) }
        return response
    }
}

struct VerifiedUserKey: StorageKey {
    typealias Value = VerifiedUser
}

func routes(_ app: Application, _ verifier: SessionVerifier) {
    let accounts = app.grouped(VerifierMiddleware(verifier: verifier))
    accounts.get("balance") { request in
        guard let user = request.storage[VerifiedUserKey.self] else { throw Abort(.badRequest) }
        return "the balance of \(user.userID)"
    }
}
