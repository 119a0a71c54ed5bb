import Foundation
@_spi(Service) import PreludeSession

/// Sends another code. If the service asks for a pause first, it waits and tries once more.
struct CodeResend {
    /// The longest pause, in seconds. The service sends two codes at least 30 seconds apart.
    private static let longestPause: TimeInterval = 60

    let client: PreludeSessionClient

    /// - Throws: The error of `request`. A pause that is longer, or has no length, is `.rateLimited`.
    func send(_ request: () async throws -> Void) async throws {
        do {
            try await request()
        } catch let error as PreludeSessionError {
            try await pause(after: error)
            try await request()
        }
    }

    /// Waits as long as the service asks for.
    ///
    /// - Throws: The error, if it asks for no pause or for a longer one.
    func pause(after error: PreludeSessionError) async throws {
        guard case .rateLimited = error, let pause = error.retryAfter, pause <= Self.longestPause else { throw error }
        Prompt.say("Another code can be sent in \(Int(pause)) seconds. Waiting.")
        try await client.environment.sleep(pause)
    }
}
