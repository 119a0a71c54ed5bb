import Foundation
import HTTPTypes
import PreludeSession
import PreludeSessionTesting
import SessionConformance
import SessionDomain
import SessionTokens
import Testing

/// A device that is no SDK: it writes its proofs as a test says, and sends them as they are.
struct ForeignDevice {
    let world: World
    private(set) var accessToken = ""
    private(set) var refreshToken = ""
    private static let finalizePath = "/v1/session/login/finalize"
    private static let refreshPath = "/v1/session/refresh"
    private static let sessionsPath = "/v1/session/me/list"

    /// Signs a new user in with a code.
    init(_ world: World, email: String = "ada@example.com") async throws {
        self.world = world
        try take(await finalize(world.completedLogin(email), id: "finalize"))
    }

    /// A device that nobody has signed in with yet.
    init(signedOut world: World) { self.world = world }

    /// A valid proof for a path.
    func proof(
        _ method: HTTPRequest.Method, _ path: String, id: String = "e1j3V_bKic8-LAEB", accessToken: String? = nil,
        nonce: String? = nil
    ) -> ProofDraft {
        ProofDraft(
            method: method.rawValue, url: World.origin + path, accessToken: accessToken, nonce: nonce, id: id,
            issuedAt: world.clock.timestamp.seconds)
    }

    /// Ends a login with a proof after a change to it.
    func finalize(
        _ challenge: String, id: String = "e1j3V_bKic8-LAEB", headers: [String: String] = [:],
        proof change: (inout ProofDraft) throws -> Void = { _ in }
    ) async throws -> Answer {
        let draft = try proof(.post, Self.finalizePath, id: id).with(change)
        return try await send(
            .post, Self.finalizePath, json: #"{"challenge_token":"\#(challenge)"}"#, proofs: draft.headers(),
            headers: headers)
    }

    /// The caller's sessions, by a bound token and a proof after a change to it.
    func boundSessions(
        token: String? = nil, id: String = "e1j3V_bKic8-LAEB", nonce: String? = nil,
        proof change: (inout ProofDraft) throws -> Void = { _ in }
    ) async throws -> Answer {
        let token = token ?? accessToken
        let draft = try proof(.get, Self.sessionsPath, id: id, accessToken: token, nonce: nonce).with(change)
        return try await send(
            .get, Self.sessionsPath, proofs: draft.headers(), headers: ["authorization": "DPoP " + token])
    }

    /// Refreshes with a proof after a change to it; `bearer` goes along as an access token.
    func refresh(
        bearer: String? = nil, id: String = "e1j3V_bKic8-LAEB", nonce: String? = nil,
        proof change: (inout ProofDraft) throws -> Void = { _ in }
    ) async throws -> Answer {
        let draft = try proof(.post, Self.refreshPath, id: id, accessToken: bearer, nonce: nonce).with(change)
        var headers = ["x-refresh-token": refreshToken]
        if let bearer { headers["authorization"] = "Bearer " + bearer }
        return try await send(.post, Self.refreshPath, json: "{}", proofs: draft.headers(), headers: headers)
    }

    /// The caller's sessions, by a token of one's own.
    func sessions(token: String) async throws -> Answer {
        try await send(.get, Self.sessionsPath, headers: ["authorization": "Bearer " + token])
    }

    struct Answer {
        let status: Int
        let body: [String: PreludeJSONValue]
        let head: HTTPResponse

        var code: String? { body["code"]?.stringValue }
        var nonce: String? { HTTPField.Name("dpop-nonce").flatMap { head.headerFields[$0] } }
        /// How a token has to be presented.
        var challenge: String? { head.headerFields[.wwwAuthenticate] }
    }

    func send(
        _ method: HTTPRequest.Method, _ path: String, json: String? = nil, proofs: [String] = [],
        headers: [String: String] = [:]
    ) async throws -> Answer {
        var fields = HTTPFields()
        if json != nil { fields[.contentType] = "application/json" }
        for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
        for proof in proofs { fields.append(HTTPField(name: try #require(HTTPField.Name("dpop")), value: proof)) }
        let request = HTTPRequest(
            method: method, scheme: "http", authority: "localhost:8080", path: path, headerFields: fields)
        let (head, data) = try await world.transport().respond(request, body: json.map { Data($0.utf8) })
        let body = data.isEmpty ? [:] : try JSONDecoder().decode([String: PreludeJSONValue].self, from: data)
        return Answer(status: head.status.code, body: body, head: head)
    }

    /// Keeps the tokens of an answer.
    mutating func take(_ answer: Answer) throws {
        accessToken = try #require(answer.body["access_token"]?.stringValue)
        refreshToken = try #require(answer.head.headerFields[Self.name("x-refresh-token")])
    }

    private static func name(_ name: String) throws -> HTTPField.Name { try #require(HTTPField.Name(name)) }
}
