internal import Foundation
internal import SessionWire

extension SessionEngine {
    /// Lets its holder change the password once.
    static let passwordScope = "prld:pwd:write"

    /// Whether the access token allows it. A good one that does not is not refreshed: that could only cost it a scope.
    func canChangePassword() async throws -> Bool {
        if let session = try await sessionAtHand() {
            if session.scopes.contains(Self.passwordScope[...]) { return true }
            let now = try await device.serverTime()
            await restoreStepUps()
            if stepUps.waiting(session: machine.session, at: now) == nil { return false }
        }
        _ = try await refresh()
        return try await sessionAtHand()?.scopes.contains(Self.passwordScope[...]) ?? false
    }

    /// Changes the password with the access token at hand, for a refresh would drop a scope that serves once.
    func changePassword(_ password: RedactedString) async throws {
        let request = try APIRequest.post(.passwordReset, body: ResetPasswordRequest(password: password.value))
        let session = try await sessionAtHand()
        let fence = machine.fence
        let allowed = session.flatMap { $0.scopes.contains(Self.passwordScope[...]) ? $0.accessToken : nil }
        _ = try await sendSignedIn(request, accessToken: allowed)
        // A token that still claims the scope claims what is spent now; one that came meanwhile may bring another.
        guard machine.accepts(fence), let session = machine.session,
            session.scopes.contains(Self.passwordScope[...])
        else { return }
        machine.invalidate(session.accessToken)
        // The password is changed; whether a new token comes now or with the next call makes no difference to that.
        _ = try? await refresh()
    }

    /// The session if its access token is good at this moment, however little of its time is left.
    private func sessionAtHand() async throws -> StoredSession? {
        _ = try await loaded()
        let now = try await device.serverTime()
        if case .nothing(let session) = machine.need(serverTime: now, margin: 0) { return session }
        return nil
    }
}
