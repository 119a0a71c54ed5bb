import Foundation
import PreludeSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension App {
    /// Calls the app's own backend as the signed-in user, and steps up when the backend asks for it.
    func call(method: String, path: String) async throws {
        guard let url = URL(string: backend + path) else { throw Usage() }
        var request = URLRequest(url: url)
        request.httpMethod = method

        var (data, response) = try await client.data(for: request)
        if let scope = missingScope(response) {
            guard try await stepUp(to: scope) else { return console.say("You may not do that.") }
            (data, response) = try await client.data(for: request)
        }
        console.say("\(response.statusCode) \(String(decoding: data, as: UTF8.self))")
    }

    /// The scope that a backend asks for in the words of RFC 6750 §3.1.
    private func missingScope(_ response: HTTPURLResponse) -> String? {
        guard response.statusCode == 403,
            let challenge = response.value(forHTTPHeaderField: "WWW-Authenticate"),
            challenge.contains(#"error="insufficient_scope""#),
            let start = challenge.range(of: #"scope=""#, options: .backwards)?.upperBound
        else { return nil }
        return String(challenge[start...].prefix { $0 != "\"" })
    }

    /// Does the steps that the service asks for; `false` when the scope is denied.
    private func stepUp(to scope: String) async throws -> Bool {
        var challenge = try await client.requestStepUp(scope: scope)
        guard challenge.status != .blocked else { return false }
        while challenge.currentStep != "completed" {
            try await client.sendStepUpOTP(challenge)
            let code = try await console.ask("This needs \(scope). Code:")
            guard let next = try await client.submitStepUpOTP(challenge, code: code) else { break }
            challenge = next
        }
        return true
    }
}
