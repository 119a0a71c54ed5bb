import Foundation
import HTTPTypes
import PreludeSessionTesting
import SessionConformance
import SessionDomain
import SessionTokens
import SessionWire
import Testing

/// RFC 9449 §8, §9, §11.1 and §11.3 at the service: times and nonces.
@Suite("Service: rules of nonces")
struct NonceConformance {
    // Proves: D32
    @Test(
        "A proof with a wrong time is rejected with use_dpop_nonce, one nonce and no-store (RFC 9449 §8)",
        arguments: [-600, 600])
    func outOfTime(_ offset: Int64) async throws {
        let world = try await ServiceWorld()
        let device = try await RawDevice(world)
        let iat = JSONValue.int(world.clock.timestamp.seconds + offset)
        let answer = try await device.refresh(proof: { $0.claims["iat"] = iat })
        #expect(answer.status == 400)
        #expect(answer.code == "use_dpop_nonce")
        let nonce = try #require(answer.nonce)
        #expect(answer.head.headerFields[values: try #require(.init("dpop-nonce"))].count == 1)
        #expect(answer.head.headerFields[.cacheControl] == "no-store")
        #expect(
            try await device.refresh(id: "with nonce", nonce: nonce, proof: { $0.claims["iat"] = iat }).status == 200)
    }

    // Proves: D33
    @Test("An unknown nonce is rejected even if iat is valid (RFC 9449 §8)", arguments: ["", "unknown"])
    func unknownNonce(_ nonce: String) async throws {
        let device = try await RawDevice(ServiceWorld())
        let answer = try await device.refresh(nonce: nonce)
        #expect(answer.status == 400)
        #expect(answer.code == "use_dpop_nonce")
    }

    @Test("A client that received a nonce needs one from then on (RFC 9449 §11.3)")
    func nonceDowngrade() async throws {
        let world = try await ServiceWorld()
        let device = try await RawDevice(world)
        let nonce = try #require(try await device.refresh(nonce: "unknown").nonce)
        #expect(try await device.refresh(id: "without").code == "use_dpop_nonce")
        #expect(try await device.refresh(id: "with", nonce: nonce).status == 200)
    }

    @Test(
        "An iat that is more than 60 seconds off is rejected, in both directions (RFC 9449 §11.1, D13, D14)",
        arguments: [-1, 1])
    func window(_ sign: Int64) async throws {
        let world = try await ServiceWorld { $0.sessions.accessTokenBinding = .dpop }
        let device = try await RawDevice(world)
        let now = world.clock.timestamp.seconds
        let inside = JSONValue.int(now + sign * 60)
        let outside = JSONValue.double(Double(now) + Double(sign) * 60.5)
        #expect(try await device.boundSessions(id: "inside") { $0.claims["iat"] = inside }.status == 200)
        #expect(try await device.refresh(id: "inside, too") { $0.claims["iat"] = inside }.status == 200)
        #expect(
            try await device.boundSessions(id: "outside") { $0.claims["iat"] = outside }.code == "use_dpop_nonce")
    }

    @Test("A refresh with an iat more than 60 seconds off is rejected (RFC 9449 §11.1, D13)", arguments: [-60.5, 60.5])
    func windowOfRefresh(_ offset: Double) async throws {
        let world = try await ServiceWorld()
        let device = try await RawDevice(world)
        let iat = JSONValue.double(Double(world.clock.timestamp.seconds) + offset)
        #expect(try await device.refresh(proof: { $0.claims["iat"] = iat }).code == "use_dpop_nonce")
    }

    @Test("A nonce is valid for its window and the next one, and no longer (RFC 9449 §8, D12, D33)")
    func expired() async throws {
        let world = try await ServiceWorld()
        var device = try await RawDevice(world)
        let nonce = try #require(try await device.refresh(nonce: "unknown").nonce)
        // Until the end of the next window. A window has 300 seconds.
        let rest = 600 - Int(world.clock.timestamp.seconds % 300)
        world.clock.advance(seconds: rest - 1)
        try device.take(await device.refresh(id: "last second", nonce: nonce))
        world.clock.advance(seconds: 1)
        let late = try await device.refresh(id: "late", nonce: nonce)
        #expect(late.status == 400 && late.code == "use_dpop_nonce")
        #expect(try await device.refresh(id: "new", nonce: late.nonce).status == 200)
    }

    @Test("A nonce of another app of the same service is rejected (RFC 9449 §8, D12, D33)")
    func otherApp() async throws {
        let world = try await ServiceWorld()
        let device = try await RawDevice(world)
        let id = try #require(AppID("otherap"))
        _ = try await world.service.apps.create(id: id, name: "Other") { _ in }
        let theirs = try await world.service.directory.app(id).nonces.current(at: world.clock.timestamp.seconds)
        let ours = try await world.service.directory.app(world.appID).nonces.current(at: world.clock.timestamp.seconds)
        let answer = try await device.refresh(nonce: theirs)
        #expect(answer.code == "use_dpop_nonce" && answer.nonce == ours)
        #expect(try await device.refresh(id: "ours", nonce: ours).status == 200)
    }

    @Test("Rejections and successes have one nonce each, with allowed characters (RFC 9449 §8.1, D31)")
    func syntax() async throws {
        let world = try await ServiceWorld { $0.sessions.noncePolicy = .always }
        let device = RawDevice(signedOut: world)
        let login = try await world.completedLogin("ada@example.com")
        let refused = try await device.finalize(login)
        #expect(refused.code == "use_dpop_nonce")
        let answered = try await device.finalize(login, id: "with") {
            $0.claims["nonce"] = refused.nonce.map(JSONValue.string)
        }
        #expect(answered.status == 200)
        for answer in [refused, answered] {
            #expect(answer.head.headerFields[values: try #require(.init("dpop-nonce"))].count == 1)
            let nonce = try #require(answer.nonce)
            #expect(nonce.utf8.count >= 22)
            #expect(nonce.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) })
            #expect(answer.head.headerFields[.cacheControl] == "no-store")
        }
    }

    @Test("Pages can read the nonce and the challenge of every response (RFC 9449 §8.2, D35)")
    func exposed() async throws {
        let world = try await ServiceWorld {
            $0.sessions.noncePolicy = .always
            $0.allowedOrigins = [BrowserSession.origin]
        }
        let device = RawDevice(signedOut: world)
        let login = try await world.completedLogin("ada@example.com")
        let origin = ["origin": BrowserSession.origin]
        let refused = try await device.finalize(login, headers: origin)
        let answered = try await device.finalize(login, id: "with", headers: origin) {
            $0.claims["nonce"] = refused.nonce.map(JSONValue.string)
        }
        let forbidden = try await device.send(.sessions, .init(headers: origin))
        #expect([refused, answered, forbidden].map(\.status) == [400, 200, 401])
        for answer in [refused, answered, forbidden] {
            let names = answer.head.headerFields[.accessControlExposeHeaders]?.split(separator: ", ") ?? []
            #expect(names.contains("DPoP-Nonce") && names.contains("WWW-Authenticate"))
            #expect(answer.head.headerFields[.cacheControl] == "no-store")
        }
        #expect(refused.nonce != nil && answered.nonce != nil && forbidden.challenge != nil)
    }

    @Test("A repeated proof is rejected, and a fresh one for the same request accepted (RFC 9449 §7.3, D30)")
    func repeated() async throws {
        let device = try await RawDevice(ServiceWorld { $0.sessions.accessTokenBinding = .dpop })
        #expect(try await device.boundSessions().status == 200)
        let again = try await device.boundSessions()
        #expect(again.status == 400 && again.code == "invalid_dpop_proof")
        #expect(try await device.boundSessions(id: "fresh").status == 200)
    }

    @Test("Bound tokens live for 15 minutes at most with every nonce policy (RFC 9449 §11.2, D37)")
    func lifetime() async throws {
        let world = try await ServiceWorld()
        for policy in ["when_needed", "always"] {
            let (body, path) = (#"{"access_token_binding": "dpop", "nonce_policy": "\#(policy)""#, "/config/sessions")
            let most = try await world.manage(path, json: body + #", "access_token_lifetime": 900}"#, method: .put)
            #expect(most.status == 200)
            let more = try await world.manage(path, json: body + #", "access_token_lifetime": 901}"#, method: .put)
            #expect(more.status == 400)
        }
    }
}
