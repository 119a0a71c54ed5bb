internal import Foundation
internal import SessionWire

extension SessionEngine {
    func sessions(_ options: ListSessionsOptions) async throws -> ListSessionsResponse {
        let query = [("limit", options.limit), ("offset", options.offset)].compactMap { name, value in
            value.map { (name: name, value: String($0)) }
        }
        let response = try await sendSignedIn(.get(.sessions, query: query))
        return ListSessionsResponse(try response.decode(SessionListResponse.self))
    }

    func fetchIdentifiers() async throws -> [PreludeIdentifier] {
        let user = try await refresh()
        let response = try await sendSignedIn(.get(.identifiers), accessToken: user.accessToken)
        let identifiers = try response.decode(IdentifiersResponse.self).identifiers
        await keep(identifiers, of: user.profile.sessionID)
        return identifiers.compactMap(PreludeIdentifier.init)
    }

    /// Revokes sessions on the server. If this session is among them, it is deleted on this device too.
    func revoke(_ target: RevokeTarget) async throws {
        var request = APIRequest(.revokeSessions)
        request.query = try Self.query(for: target)
        let session = try await loaded()
        _ = try await sendSignedIn(request)
        if Self.includesOwn(target, session), let session, machine.session?.isSameSession(as: session) ?? false {
            try await wipe(.revokedHere, of: [session], isComplete: true)
        }
    }

    private static func query(for target: RevokeTarget) throws -> [(name: String, value: String)] {
        switch target {
        case .all: return [("target", RevokeTargetName.all.rawValue)]
        case .others: return [("target", RevokeTargetName.others.rawValue)]
        case .mine: return [("target", RevokeTargetName.mine.rawValue)]
        case .session(let id):
            try PreludeSessionError.rejectBlank(id, "the id of the session to revoke")
            return [("target", RevokeTargetName.session.rawValue), ("session_id", id)]
        }
    }

    private static func includesOwn(_ target: RevokeTarget, _ session: StoredSession?) -> Bool {
        switch target {
        case .all, .mine: true
        case .others: false
        case .session(let id): id == session?.sessionID
        }
    }
}
