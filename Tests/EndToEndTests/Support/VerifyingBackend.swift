import Foundation
import HTTPTypes
import PreludeSession
import PreludeSessionTesting
import PreludeSessionVerifier
import SessionDomain

/// An operator's backend at `api.example.com` that lets in whom the verifier lets in; whatever else the SDK sends goes to
/// the service.
actor VerifyingBackend: SessionTransport {
    static let url = "https://api.example.com/orders"

    let verifier: SessionVerifier
    private let service: InProcessTransport
    private let stepUp: String?
    private let greatestAge: TimeInterval?
    /// What came in, and what became of it.
    private(set) var requests: [(request: HTTPRequest, status: Int)] = []

    /// - Parameters:
    ///   - stepUp: The scope that every call needs.
    ///   - greatestAge: How old a token may be, in seconds.
    init(
        _ world: World, nonces: NoncePolicy = .never, stepUp: String? = nil, greatestAge: TimeInterval? = nil
    ) throws {
        let clock = world.clock
        var options = VerifierOptions()
        options.nonces = nonces
        options.environment = VerifierEnvironment { clock.timestamp.date }
        verifier = try SessionVerifier(
            service: World.origin, audience: world.appID.rawValue, resources: ["https://api.example.com"],
            options: options, keySource: ServiceKeys(router: world.router))
        service = world.transport()
        self.stepUp = stepUp
        self.greatestAge = greatestAge
    }

    func send(_ request: HTTPRequest, body: Data?, timeout: TimeInterval) async throws -> (HTTPResponse, Data) {
        guard request.authority == "api.example.com" else {
            return try await service.send(request, body: body, timeout: timeout)
        }
        let answer = await respond(to: request)
        requests.append((request, answer.0.status.code))
        return answer
    }

    func respond(to request: HTTPRequest) async -> (HTTPResponse, Data) {
        do {
            let user = try await verifier.verify(request)
            if let stepUp { try user.require(stepUp: stepUp) }
            if let greatestAge { try user.require(issuedWithin: greatestAge) }
            return (HTTPResponse(status: .ok, headerFields: verifier.nextHeaderFields), Data(user.userID.utf8))
        } catch {
            return (
                HTTPResponse(status: error.status, headerFields: error.headerFields), Data(error.reason.rawValue.utf8)
            )
        }
    }
}
