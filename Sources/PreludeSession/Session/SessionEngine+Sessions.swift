internal import Foundation
internal import SessionWire

extension SessionEngine {
    func sessions(_ options: ListSessionsOptions) async throws -> ListSessionsResponse {
        let query = [("limit", String(options.limit)), ("offset", String(options.offset))]
        let answer = try await sendSignedIn(.get(.sessions, query: query.map { (name: $0.0, value: $0.1) }))
        return ListSessionsResponse(try Self.decode(SessionListResponse.self, from: answer))
    }

    func identifiers() async throws -> [PreludeIdentifier] {
        let answer = try await sendSignedIn(.get(.identifiers))
        return try Self.decode(IdentifiersResponse.self, from: answer).identifiers.compactMap { identifier in
            PreludeIdentifierType(rawValue: identifier.type).map {
                PreludeIdentifier(type: $0, value: identifier.value)
            }
        }
    }

    /// Ends sessions; when this one is among them, its credentials are wiped here too.
    func revoke(_ target: RevokeTarget) async throws {
        var query: [(name: String, value: String)]
        switch target {
        case .all: query = [("target", RevokeTargetName.all.rawValue)]
        case .others: query = [("target", RevokeTargetName.others.rawValue)]
        case .mine: query = [("target", RevokeTargetName.mine.rawValue)]
        case .session(let id):
            try PreludeSessionError.refuseBlank(id, "the id of the session to revoke")
            query = [("target", RevokeTargetName.session.rawValue), ("session_id", id)]
        }
        let session = try await loaded()
        var request = APIRequest(.revokeSessions)
        request.query = query
        _ = try await sendSignedIn(request)
        if Self.includesOwn(target, session), machine.session?.isSameSession(as: session) ?? false {
            try await wipe(.revokedHere)
        }
    }

    private static func includesOwn(_ target: RevokeTarget, _ session: StoredSession?) -> Bool {
        switch target {
        case .all, .mine: true
        case .others: false
        case .session(let id): id == session?.sessionID
        }
    }

    func passwordCompliancy() async throws -> PreludePasswordCompliancy {
        let answer = try await sendAnonymous(.get(.passwordCompliancy))
        return PreludePasswordCompliancy(try Self.decode(PasswordCompliancy.self, from: answer))
    }

    static func decode<Body: Decodable>(_ type: Body.Type, from answer: TransportAnswer) throws -> Body {
        do {
            return try JSONDecoder().decode(type, from: answer.body)
        } catch {
            throw PreludeSessionError.generic(code: "invalid_answer", message: "the answer cannot be understood")
        }
    }
}

extension StoredSession {
    var sessionID: String? { (try? PreludeProfile(accessToken: accessToken))?.sessionID }

    /// Whose session it is, for logs.
    var logAttributes: [PreludeSessionLogAttribute?] {
        let profile = try? PreludeProfile(accessToken: accessToken)
        return [.identifier("user", profile?.userID), .identifier("session", profile?.sessionID)]
    }

    func isSameSession(as other: StoredSession?) -> Bool { sessionID == other?.sessionID }
}

extension SessionEngine {
    /// What is at hand; reading it is tried, and never waits for a refresh.
    func peek() async -> StoredSession? {
        do {
            return try await loaded()
        } catch {
            return machine.session
        }
    }

    func invalidateAccessToken() async throws {
        if let token = try await loaded()?.accessToken { machine.invalidate(token) }
    }
}
