import Foundation
import PreludeSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension App {
    /// Calls the app's own backend as the signed-in user. Does a step-up when the backend asks for it.
    func call(method: String, path: String) async throws {
        guard let url = URL(string: backend + path) else { throw Usage() }
        var request = URLRequest(url: url)
        request.httpMethod = method

        var (data, response) = try await client.data(for: request)
        if let scope = client.stepUpScope(in: response) {
            guard try await stepUp(to: scope) else { return console.say("You are not allowed to do that.") }
            (data, response) = try await client.data(for: request)
        }
        console.say("\(response.statusCode) \(String(decoding: data, as: UTF8.self))")
    }

    /// Does the steps that the service asks for. Returns `false` when the scope is denied.
    private func stepUp(to scope: String) async throws -> Bool {
        var challenge = try await client.requestStepUp(scope: scope)
        guard challenge.status != .blocked else { return false }
        while !challenge.isCompleted {
            // A step of the backend would use continueStepUp(_:verificationToken:). This app has none.
            guard challenge.expectsCode else { throw UnknownStep() }
            try await client.sendStepUpOTP(challenge)
            let code = try await console.ask("This needs the scope \(scope). Code:")
            guard let next = try await client.submitStepUpOTP(challenge, code: code) else { break }
            challenge = next
        }
        return true
    }
}

/// The service asks for a step that this app does not support.
struct UnknownStep: Error {}
