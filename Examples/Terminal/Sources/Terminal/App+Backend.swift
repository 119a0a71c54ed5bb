import Foundation
import PreludeSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension App {
    /// Calls the app's own backend as the signed-in user. Steps up when the backend asks for it.
    func call(method: String, path: String) async throws {
        guard let url = URL(string: backend + path) else { throw Usage() }
        var request = URLRequest(url: url)
        request.httpMethod = method

        let (data, response) = try await client.data(for: request) { challenge, problem in
            if let problem { console.say(problem.message.text()) }
            let code = try await console.ask(
                "\(challenge.requestedScope) needs a code. Code, or nothing for another one:")
            return code.isEmpty ? .resend : .code(code)
        } ownStep: { _ in
            throw UnknownStep()
        }
        console.say("\(response.statusCode) \(String(decoding: data, as: UTF8.self))")
    }
}

/// The service asks for a step that this app does not support.
struct UnknownStep: Error {}
