package import Foundation

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

/// A request to the app's backend that is sent again after a step-up.
package struct AppCall: Sendable {
    /// What a request has led to.
    package enum Outcome: Sendable {
        /// The response to return.
        case response(Data, HTTPURLResponse)
        /// The scope to get before the request is sent again.
        case needs(String)
    }

    private let client: PreludeSessionClient
    private let request: URLRequest
    /// The session that sent the request first.
    private var sessionID: String?
    /// What was done for this request. Nothing is done twice, so a backend that is never content gets its refusal through.
    private var done: [StepUpRequirement.Decision] = []

    package init(_ request: URLRequest, client: PreludeSessionClient) {
        self.client = client
        self.request = request
    }

    /// Sends the request.
    ///
    /// - Throws: The errors of `data(for:)`. `.unauthorized` if another login replaced the session during the step-up.
    package mutating func send() async throws -> Outcome {
        while true {
            let answer = try await client.engine.answer(to: request, as: sessionID)
            sessionID = answer.sessionID
            guard let decision = await client.engine.decision(on: answer), !done.contains(decision) else {
                return .response(answer.body, answer.response)
            }
            done.append(decision)
            if case .stepUp(let scope) = decision { return .needs(scope) }
        }
    }
}
