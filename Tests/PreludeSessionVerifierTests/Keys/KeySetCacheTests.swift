import Foundation
import HTTPTypes
import PreludeSessionVerifier
import SessionConformance
import SessionTokens
import Synchronization
import Testing

@Suite("Verifier: key cache")
struct KeySetCacheTests {
    private static let next = SigningKey.generate(.edDSA)

    private func signed(by key: SigningKey, _ backend: Backend) throws -> String {
        try backend.token.with {
            $0.signer = key
            $0.header["kid"] = .string(key.keyID)
            // The token is valid for the whole test.
            $0.claims["exp"] = .int(2_000_000_000)
        }.compact()
    }

    private func token(_ backend: Backend) throws -> String { try signed(by: PublishedKeys.service, backend) }

    @Test("The keys are fetched once, with the first token")
    func firstFetch() async throws {
        let backend = try Backend()
        #expect(backend.source.fetches == 0)
        for _ in 0..<10 { _ = try await backend.verifier.verify(token(backend)) }
        #expect(backend.source.fetches == 1)
    }

    @Test("The keys can be loaded in advance and are then fetched once")
    func loading() async throws {
        let backend = try Backend()
        try await backend.verifier.loadKeys()
        try await backend.verifier.loadKeys()
        _ = try await backend.verifier.verify(token(backend))
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
        let token = try token(backend)
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
        let token = try token(backend)
        backend.source.hold()
        let first = Task { try await backend.verifier.verify(token) }
        while backend.source.fetches == 0 { await Task.yield() }
        let second = Task { try await backend.verifier.verify(token) }
        first.cancel()
        backend.source.release()
        #expect(try await second.value.userID == "usr_1")
        #expect(backend.source.fetches == 1)
    }

    @Test(
        "A fetch that does not end is cancelled after the timeout and repeated later",
        .timeLimit(.minutes(1)))
    func timeout() async throws {
        let waits = Mutex<[TimeInterval]>([])
        let failures = Mutex<[String]>([])
        let backend = try Backend { options in
            options.keys.timeout = 3
            options.keys.onFailure = { error in failures.withLock { $0.append("\(error)") } }
            options.environment.sleep = { seconds in
                let isFirst = waits.withLock { waits in
                    waits.append(seconds)
                    return waits.count == 1
                }
                guard !isFirst else { return }
                for await _ in AsyncStream<Never>.makeStream().stream {}
            }
        }
        let token = try token(backend)
        backend.source.hold()
        let error = try #require(
            await #expect(throws: VerificationError.self) { try await backend.verifier.verify(token) })
        #expect(error.reason == .keysUnavailable)
        #expect(waits.withLock { $0 } == [3])
        #expect(failures.withLock { $0.count } == 1)
        backend.source.release()
        backend.clock.advance(1)
        #expect(try await backend.verifier.verify(token).userID == "usr_1")
        #expect(backend.source.fetches == 2)
    }

    @Test("An unknown kid causes a new fetch, but not within the minimum interval")
    func unknownKey() async throws {
        let backend = try Backend()
        _ = try await backend.verifier.verify(token(backend))
        backend.source.publish(try Backend.keySet([PublishedKeys.service, Self.next]))
        let rotated = try signed(by: Self.next, backend)
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
        _ = try await backend.verifier.verify(token(backend))
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
        let token = try token(backend)
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
        let token = try token(backend)
        _ = try await backend.verifier.verify(token)
        backend.clock.advance(3000)
        backend.source.publish(Data(#"{"keys":[]}"#.utf8))
        await #expect(throws: VerificationError.self) { try await backend.verifier.verify(token) }
        #expect(backend.source.fetches == 2)
    }

    @Test("A clock that was ahead during the fetch does not keep the set fresh longer")
    func clockWentBack() async throws {
        let backend = try Backend()
        backend.clock.advance(86_400 * 30)
        #expect(try await backend.verifier.verify(token(backend)).userID == "usr_1")
        backend.clock.advance(-86_400 * 30)
        backend.source.publish(Data(#"{"keys":[]}"#.utf8))
        let token = try token(backend)
        #expect(try await backend.verifier.verify(token).userID == "usr_1")
        try await backend.verifier.loadKeys()
        await #expect(throws: VerificationError.self) { try await backend.verifier.verify(token) }
    }

    @Test("While the service is down, tokens wait for it at most once in a minute")
    func idleWhileDown() async throws {
        let backend = try Backend()
        let token = try token(backend)
        _ = try await backend.verifier.verify(token)
        backend.source.goDown()
        backend.clock.advance(3000)
        #expect(try await backend.verifier.verify(token).userID == "usr_1")
        backend.clock.advance(31)
        backend.source.hold()
        #expect(try await backend.verifier.verify(token).userID == "usr_1")
        backend.source.release()
    }

    @Test("While the service is down, the cached keys are used until the maximum staleness")
    func serviceDown() async throws {
        let backend = try Backend()
        let token = try token(backend)
        _ = try await backend.verifier.verify(token)
        backend.source.goDown()
        backend.clock.advance(300 + 86_400 - 1)
        #expect(try await backend.verifier.verify(token).userID == "usr_1")
        backend.clock.advance(1)
        let error = try await backend.verifier.rejection(of: token)
        #expect(error.reason == .keysUnavailable)
        #expect(error.status == .serviceUnavailable)
        #expect(error.headerFields[.retryAfter] == "1")
        #expect(error.challenge == nil)
    }

    @Test("While the service is down, an unknown kid gets keys_unavailable")
    func unknownKeyWhileDown() async throws {
        let backend = try Backend()
        _ = try await backend.verifier.verify(token(backend))
        backend.source.goDown()
        backend.clock.advance(30)
        let rotated = try signed(by: Self.next, backend)
        #expect(try await backend.verifier.rejection(of: rotated).reason == .keysUnavailable)
    }

    @Test("Without keys, the verifier fetches again after one second and not with each token")
    func minimumRetryInterval() async throws {
        let backend = try Backend()
        backend.source.goDown()
        let token = try token(backend)
        for _ in 0..<5 { #expect(try await backend.verifier.rejection(of: token).reason == .keysUnavailable) }
        #expect(backend.source.fetches == 1)
        backend.source.publish(try Backend.keySet([PublishedKeys.service]))
        backend.clock.advance(1)
        #expect(try await backend.verifier.verify(token).userID == "usr_1")
    }

    @Test(
        "A response that is not a key set does not replace the cached keys",
        arguments: ["", "<html>", "[]", "{}", #"{"keys":{}}"#, #"{"keys":[],"keys":[]}"#])
    func garbage(_ text: String) async throws {
        let backend = try Backend()
        let token = try token(backend)
        _ = try await backend.verifier.verify(token)
        backend.source.publish(Data(text.utf8))
        backend.clock.advance(300)
        _ = try await backend.verifier.verify(token)
        while backend.source.fetches < 2 { await Task.yield() }
        let rotated = try signed(by: Self.next, backend)
        #expect(try await backend.verifier.rejection(of: rotated).reason == .keysUnavailable)
        #expect(try await backend.verifier.verify(token).userID == "usr_1")
    }

    @Test("A key that the service removed is rejected as soon as the new set is fetched")
    func retracted() async throws {
        let backend = try Backend()
        let token = try token(backend)
        _ = try await backend.verifier.verify(token)
        backend.source.publish(try Backend.keySet([Self.next]))
        backend.clock.advance(30)
        _ = try await backend.verifier.verify(signed(by: Self.next, backend))
        #expect(try await backend.verifier.rejection(of: token).reason == .unknownKey)
    }

    @Test("Unknown, malformed and private keys of a set are ignored, and the other keys are used (RFC 7517 §5)")
    func invalidKeys() async throws {
        let backend = try Backend()
        guard case .object(let valid) = Backend.entry(PublishedKeys.service) else { return }
        let invalid: [JSONValue] = [
            .object(["kty": "AKP", "kid": "new", "alg": "ML-DSA-44"]),
            .object(["kty": "EC", "crv": "P-256", "x": "AQ"]),
            .object(["kty": "oct", "kid": "secret", "k": "AQ"]), "no object", .null, .object([:]),
            .object(valid.merging(["kid": "encrypts", "use": "enc"]) { $1 }),
            .object(valid.merging(["kid": "private", "d": "AQ"]) { $1 }),
        ]
        backend.source.publish(try TokenJSON.encode(["keys": invalid + [.object(valid)]]))
        #expect(try await backend.verifier.verify(token(backend)).userID == "usr_1")
        for kid in ["new", "secret", "encrypts", "private"] {
            let token = try backend.token.with { $0.header["kid"] = .string(kid) }.compact()
            #expect(try await backend.verifier.rejection(of: token).reason == .unknownKey)
        }
    }

    @Test("If two keys have the same kid, the first one is used")
    func sameID() async throws {
        let backend = try Backend()
        guard case .object(let other) = Backend.entry(Self.next) else { return }
        let imposter = JSONValue.object(other.merging(["kid": .string(PublishedKeys.service.keyID)]) { $1 })
        backend.source.publish(try TokenJSON.encode(["keys": [Backend.entry(PublishedKeys.service), imposter]]))
        #expect(try await backend.verifier.verify(token(backend)).userID == "usr_1")
    }

    @Test("A set of 100 keys is accepted, and a set of 101 keys is rejected")
    func manyKeys() async throws {
        let backend = try Backend()
        let entry = Backend.entry(PublishedKeys.service)
        let fillers = Array(repeating: JSONValue.object(["kty": "other"]), count: 100)
        backend.source.publish(try TokenJSON.encode(["keys": fillers + [entry]]))
        #expect(try await backend.verifier.rejection(of: token(backend)).reason == .keysUnavailable)
        backend.source.publish(try TokenJSON.encode(["keys": fillers.dropFirst() + [entry]]))
        backend.clock.advance(1)
        #expect(try await backend.verifier.verify(token(backend)).userID == "usr_1")
    }

    @Test(
        "The set is fetched again after max-age, at least 30 seconds and at most an hour (RFC 9111 §5.2.2.1)",
        arguments: [(nil, 300.0), (60, 60), (0, 30), (-5, 30), (1e9, 3600), (.infinity, 3600), (.nan, 300)])
    func maxAge(_ maxAge: Double?, _ lifetime: Double) async throws {
        let backend = try Backend()
        backend.source.publish(try Backend.keySet([PublishedKeys.service]), maxAge: maxAge)
        let token = try token(backend)
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
        _ = try await backend.verifier.verify(token(backend))
        backend.source.publish(try Backend.keySet([PublishedKeys.service, Self.next]))
        let rotated = try signed(by: Self.next, backend)
        backend.clock.advance(-3600)
        // The token is not valid yet by this clock, but its key is found.
        #expect(try await backend.verifier.rejection(of: rotated).reason == .notYetValid)
    }
}
