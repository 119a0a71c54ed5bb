import Foundation
import HTTPTypes
@_spi(Service) import PreludeSession
import PreludeSessionTesting
import PreludeSessionVerifier
import SessionDomain

/// An operator's backend at `api.example.com` that accepts the requests that the verifier accepts.
actor VerifyingBackend {
    static let url = "https://api.example.com/orders"

    let verifier: SessionVerifier
    private let stepUp: String?
    private let greatestAge: TimeInterval?
    /// The requests of the app, with the status of each response.
    private(set) var requests: [(request: HTTPRequest, status: Int)] = []

    /// Starts the backend for the clients of a world.
    ///
    /// - Parameters:
    ///   - stepUp: The scope that every call needs.
    ///   - greatestAge: The maximum age of an access token, in seconds.
    ///   - clockSkew: Seconds by which its clock is ahead.
    ///   - leeway: The accepted difference of clocks; `nil` is the default.
    init(
        _ world: ServiceWorld, nonces: NoncePolicy = .never, stepUp: String? = nil, greatestAge: TimeInterval? = nil,
        clockSkew: Int = 0, leeway: TimeInterval? = nil
    ) throws {
        let clock = world.clock
        var options = VerifierOptions()
        options.nonces = nonces
        if let leeway { options.leeway = leeway }
        options.environment = VerifierEnvironment { (clock.timestamp + clockSkew).date }
        verifier = try SessionVerifier(
            service: world.origin, audience: world.appID.rawValue, resources: ["https://api.example.com"],
            options: options, keySource: ServiceKeySource(router: world.router))
        self.stepUp = stepUp
        self.greatestAge = greatestAge
        world.appBackend.serve { [self] request, _ in await answer(request) }
    }

    private func answer(_ request: HTTPRequest) async -> (HTTPResponse, Data) {
        let answer = await respond(to: request)
        requests.append((request, answer.0.status.code))
        return answer
    }

    /// The response to a request, without recording the request.
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
