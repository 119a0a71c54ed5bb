import Foundation
import PreludeSessionVerifier
import SessionConformance
import SessionTokens
import Testing

/// When the key cache fetches the key set and how long it uses it.
@Suite("Verifier: key cache")
struct KeySetCacheTests {
    private static let next = SigningKey.generate(.edDSA)

    @Test("The keys are fetched once, with the first token")
    func firstFetch() async throws {
        let backend = try Backend()
        #expect(backend.source.fetches == 0)
        for _ in 0..<10 { _ = try await backend.verifier.verify(backend.longLivedToken()) }
        #expect(backend.source.fetches == 1)
    }

    @Test("The keys can be loaded in advance and are then fetched once")
    func loading() async throws {
        let backend = try Backend()
        try await backend.verifier.loadKeys()
        try await backend.verifier.loadKeys()
        _ = try await backend.verifier.verify(backend.longLivedToken())
        #expect(backend.source.fetches == 1)
        backend.source.goDown()
        let other = try Backend()
        other.source.goDown()
        let error = try #require(
            await #expect(throws: VerificationError.self) { try await other.verifier.loadKeys() })
        #expect(error.reason == .keysUnavailable)
    }

    @Test("A thousand concurrent first tokens cause one fetch and are all accepted")
    func singleFlight() async throws {
        let backend = try Backend()
        let token = try backend.longLivedToken()
        backend.source.hold()
        let users = try await withThrowingTaskGroup { group in
            for _ in 0..<1000 { group.addTask { try await backend.verifier.verify(token).userID } }
            while backend.source.fetches == 0 { await Task.yield() }
            backend.source.release()
            return try await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(users == Array(repeating: "usr_1", count: 1000))
        #expect(backend.source.fetches == 1)
    }

    @Test("A caller that is cancelled does not cancel the key fetch of other callers")
    func cancellation() async throws {
        let backend = try Backend()
        let token = try backend.longLivedToken()
        backend.source.hold()
        let first = Task { try await backend.verifier.verify(token) }
        while backend.source.fetches == 0 { await Task.yield() }
        let second = Task { try await backend.verifier.verify(token) }
        first.cancel()
        backend.source.release()
        #expect(try await second.value.userID == "usr_1")
        #expect(backend.source.fetches == 1)
    }

    @Test("An unknown kid causes a new fetch, but not within the minimum interval")
    func unknownKey() async throws {
        let backend = try Backend()
        _ = try await backend.verifier.verify(backend.longLivedToken())
        backend.source.publish(try Backend.keySet([PublishedKeys.service, Self.next]))
        let rotated = try backend.longLivedToken(signedBy: Self.next)
        backend.clock.advance(29)
        for _ in 0..<10 { #expect(try await backend.verifier.rejection(of: rotated).reason == .unknownKey) }
        #expect(backend.source.fetches == 1)
        backend.clock.advance(1)
        #expect(try await backend.verifier.verify(rotated).userID == "usr_1")
        #expect(backend.source.fetches == 2)
    }

    @Test("Many unknown kids cause one fetch per minimum interval")
    func unknownKeys() async throws {
        let backend = try Backend()
        _ = try await backend.verifier.verify(backend.longLivedToken())
        for number in 0..<90 {
            let invalid = try backend.token.with { $0.header["kid"] = .string("unknown \(number)") }.compact()
            #expect(try await backend.verifier.rejection(of: invalid).reason == .unknownKey)
            backend.clock.advance(1)
        }
        #expect(backend.source.fetches == 3)
    }

    @Test("A set that is no longer fresh is used while the new one is fetched, without waiting")
    func staleWhileRevalidate() async throws {
        let backend = try Backend()
        let token = try backend.longLivedToken()
        _ = try await backend.verifier.verify(token)
        backend.clock.advance(300)
        backend.source.hold()
        #expect(try await backend.verifier.verify(token).userID == "usr_1")
        while backend.source.fetches < 2 { await Task.yield() }
        #expect(try await backend.verifier.verify(token).userID == "usr_1")
        #expect(backend.source.fetches == 2)
        backend.source.release()
    }

    @Test("An idle backend waits for the new set, which may lack a leaked key")
    func idle() async throws {
        let backend = try Backend()
        let token = try backend.longLivedToken()
        _ = try await backend.verifier.verify(token)
        backend.clock.advance(3000)
        backend.source.publish(try Backend.keySet([Self.next]))
        await #expect(throws: VerificationError.self) { try await backend.verifier.verify(token) }
        #expect(backend.source.fetches == 2)
    }

    @Test("A clock that was ahead during the fetch does not keep the set fresh longer")
    func clockWentBack() async throws {
        let backend = try Backend()
        backend.clock.advance(86_400 * 30)
        #expect(try await backend.verifier.verify(backend.longLivedToken()).userID == "usr_1")
        backend.clock.advance(-86_400 * 30)
        backend.source.publish(try Backend.keySet([Self.next]))
        let token = try backend.longLivedToken()
        #expect(try await backend.verifier.verify(token).userID == "usr_1")
        try await backend.verifier.loadKeys()
        await #expect(throws: VerificationError.self) { try await backend.verifier.verify(token) }
    }

    @Test(
        "The set is fetched again after max-age, at least 30 seconds and at most an hour (RFC 9111 §5.2.2.1)",
        arguments: [(nil, 300.0), (60, 60), (0, 30), (-5, 30), (1e9, 3600), (.infinity, 3600), (.nan, 300)])
    func maxAge(_ maxAge: Double?, _ lifetime: Double) async throws {
        let backend = try Backend()
        backend.source.publish(try Backend.keySet([PublishedKeys.service]), maxAge: maxAge)
        let token = try backend.longLivedToken()
        _ = try await backend.verifier.verify(token)
        backend.clock.advance(lifetime - 1)
        _ = try await backend.verifier.verify(token)
        #expect(backend.source.fetches == 1)
        backend.clock.advance(1)
        _ = try await backend.verifier.verify(token)
        while backend.source.fetches < 2 { await Task.yield() }
    }

    @Test("A clock that goes back does not stop fetches")
    func clockGoesBack() async throws {
        let backend = try Backend()
        _ = try await backend.verifier.verify(backend.longLivedToken())
        backend.source.publish(try Backend.keySet([PublishedKeys.service, Self.next]))
        let rotated = try backend.longLivedToken(signedBy: Self.next)
        backend.clock.advance(-3600)
        // The token is not valid yet by this clock, but its key is found.
        #expect(try await backend.verifier.rejection(of: rotated).reason == .notYetValid)
    }
}
