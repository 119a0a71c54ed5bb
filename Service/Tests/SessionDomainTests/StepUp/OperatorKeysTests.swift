import Foundation
import SessionRSA
import SessionTokens
import Testing

@testable import SessionDomain

@Suite("Public keys of operators")
struct OperatorKeysTests {
    private let url = "https://backend.example.com/jwks.json"
    private let first: OperatorKey
    private let second: OperatorKey

    init() throws {
        first = try OperatorKey.first.get()
        second = try OperatorKey.second.get()
    }

    private func token(_ key: OperatorKey) throws -> String { try key.sign(["sub": "usr_1"]) }

    private static let unavailable = Refusal.unavailable("the keys at jwks_url cannot be fetched")
    private static let unknownKey = Refusal.invalidStepToken("is signed by a key that jwks_url does not have")

    @Test("A key set is fetched once and used for ten minutes")
    func lifetime() async throws {
        let egress = FakeEgress(always: .answer(try OperatorKey.set(first)))
        let keys = OperatorKeys(egress: egress)
        for second in [0, 1, 599] {
            let verified = try await keys.verify(try token(first), keysAt: url, now: now + second)
            #expect(verified.keyID == "kid-1")
        }
        #expect(egress.requests.count == 1)
        _ = try await keys.verify(try token(first), keysAt: url, now: now + 600)
        #expect(egress.requests.count == 2)
        let request = egress.requests[0]
        #expect(request.method == .get)
        #expect(request.url == url)
        #expect(request.body.isEmpty)
    }

    @Test("A removed key is valid for at most ten minutes")
    func removed() async throws {
        let sets = [try OperatorKey.set(first), try OperatorKey.set(second)]
        let keys = OperatorKeys(egress: FakeEgress { _, number in .answer(sets[min(number, 1)]) })
        _ = try await keys.verify(try token(first), keysAt: url, now: now)
        await #expect(throws: Self.unknownKey) {
            try await keys.verify(try token(first), keysAt: url, now: now + 600)
        }
    }

    @Test("An unknown kid causes another fetch, but not within 30 seconds")
    func unknown() async throws {
        let sets = [try OperatorKey.set(first), try OperatorKey.set(first, second)]
        let egress = FakeEgress { _, number in .answer(sets[min(number, 1)]) }
        let keys = OperatorKeys(egress: egress)
        _ = try await keys.verify(try token(first), keysAt: url, now: now)
        await #expect(throws: Self.unknownKey) {
            try await keys.verify(try token(second), keysAt: url, now: now + 29)
        }
        #expect(egress.requests.count == 1)
        #expect(try await keys.verify(try token(second), keysAt: url, now: now + 30).keyID == "kid-2")
        #expect(egress.requests.count == 2)
    }

    @Test("Forged tokens cause at most one fetch in 30 seconds")
    func flood() async throws {
        let egress = FakeEgress(always: .answer(try OperatorKey.set(first)))
        let keys = OperatorKeys(egress: egress)
        for second in 0..<60 {
            for _ in 0..<3 {
                await #expect(throws: Self.unknownKey) {
                    try await keys.verify(try token(self.second), keysAt: url, now: now + second)
                }
            }
        }
        #expect(egress.requests.count == 2)
    }

    /// An answer after all other tasks have run.
    private func slowly(_ reply: FakeEgress.Reply) -> FakeEgress {
        FakeEgress { _, _ in
            for _ in 0..<200 { await Task.yield() }
            return Task.isCancelled ? .failure(.timedOut) : reply
        }
    }

    private func race(_ keys: OperatorKeys, _ token: String, at time: Timestamp) async -> [Bool] {
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<32 {
                group.addTask { (try? await keys.verify(token, keysAt: url, now: time)) != nil }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("Callers that wait for the same key set share one fetch, the first time and for a new key")
    func singleFlight() async throws {
        let egress = slowly(.answer(try OperatorKey.set(first, second)))
        let keys = OperatorKeys(egress: egress)
        #expect(await race(keys, try token(first), at: now) == Array(repeating: true, count: 32))
        #expect(egress.requests.count == 1)

        let sets = [try OperatorKey.set(first), try OperatorKey.set(first, second)]
        let growing = FakeEgress { _, number in
            for _ in 0..<200 { await Task.yield() }
            return .answer(sets[min(number, 1)])
        }
        let others = OperatorKeys(egress: growing)
        _ = try await others.verify(try token(first), keysAt: url, now: now)
        #expect(await race(others, try token(second), at: now + 30) == Array(repeating: true, count: 32))
        #expect(growing.requests.count == 2)
    }

    @Test("Callers that share a failing fetch all fail, after one fetch")
    func sharedFailure() async throws {
        let egress = slowly(.failure(.timedOut))
        let keys = OperatorKeys(egress: egress)
        #expect(await race(keys, try token(first), at: now) == Array(repeating: false, count: 32))
        #expect(egress.requests.count == 1)
    }

    @Test("A cancelled caller does not cancel the fetch of the others")
    func cancelled() async throws {
        let egress = slowly(.answer(try OperatorKey.set(first)))
        let keys = OperatorKeys(egress: egress)
        let token = try token(first)
        let impatient = Task { try? await keys.verify(token, keysAt: url, now: now) }
        impatient.cancel()
        #expect(try await keys.verify(token, keysAt: url, now: now).keyID == "kid-1")
        _ = await impatient.value
        #expect(egress.requests.count == 1)
    }

    @Test("A failed fetch is not repeated for 30 seconds")
    func failure() async throws {
        let set = try OperatorKey.set(first)
        let egress = FakeEgress { _, number in number == 0 ? .failure(.timedOut) : .answer(set) }
        let keys = OperatorKeys(egress: egress)
        for second in [0, 29] {
            await #expect(throws: Self.unavailable) {
                try await keys.verify(try token(first), keysAt: url, now: now + second)
            }
        }
        #expect(egress.requests.count == 1)
        _ = try await keys.verify(try token(first), keysAt: url, now: now + 30)
        #expect(egress.requests.count == 2)
    }

    @Test("With expired keys, a failing endpoint is asked once in 30 seconds, not for each token")
    func failureAfterLifetime() async throws {
        let set = try OperatorKey.set(first)
        let egress = FakeEgress { _, number in number == 0 ? .answer(set) : .failure(.timedOut) }
        let keys = OperatorKeys(egress: egress)
        _ = try await keys.verify(try token(first), keysAt: url, now: now)
        for second in 600..<660 {
            await #expect(throws: Self.unavailable) {
                try await keys.verify(try token(first), keysAt: url, now: now + second)
            }
        }
        #expect(egress.requests.count == 3)
    }

    @Test(
        "Any answer but a key set with status 200 is a failure",
        arguments: [
            FakeEgress.Reply.answer(#"{"keys":[]}"#, status: 404), .answer(#"{"keys":[]}"#, status: 302),
            .answer(#"{"keys":[]}"#, status: 204), .answer("<html>"), .answer("{}"), .failure(.answerTooLarge),
            .failure(.refusedAddress("127.0.0.1")),
        ])
    func unusable(reply: FakeEgress.Reply) async throws {
        await #expect(throws: Self.unavailable) {
            try await OperatorKeys(egress: FakeEgress(always: reply)).verify(
                try token(first), keysAt: url, now: now)
        }
    }

    @Test("Each URL has its own keys")
    func addresses() async throws {
        let sets = [
            "https://a.example.com/": try OperatorKey.set(first), "https://b.example.com/": try OperatorKey.set(second),
        ]
        let keys = OperatorKeys(egress: FakeEgress { request, _ in .answer(sets[request.url] ?? Data()) })
        _ = try await keys.verify(try token(first), keysAt: "https://a.example.com/", now: now)
        _ = try await keys.verify(try token(second), keysAt: "https://b.example.com/", now: now)
        await #expect(throws: Self.unknownKey) {
            try await keys.verify(try token(first), keysAt: "https://b.example.com/", now: now + 1)
        }
    }

    @Test("256 key sets are cached, and one more replaces the oldest")
    func capacity() async throws {
        let egress = FakeEgress(always: .answer(try OperatorKey.set(first)))
        let keys = OperatorKeys(egress: egress)
        let token = try token(first)
        for index in 0...256 { _ = try await keys.verify(token, keysAt: "\(url)?\(index)", now: now + index) }
        _ = try await keys.verify(token, keysAt: "\(url)?1", now: now + 257)
        #expect(egress.requests.count == 257)
        _ = try await keys.verify(token, keysAt: "\(url)?0", now: now + 257)
        #expect(egress.requests.count == 258)
    }

    @Test("A token that is not signed with RS256 by a known key is rejected with the reason")
    func tokens() async throws {
        let keys = OperatorKeys(egress: FakeEgress(always: .answer(try OperatorKey.set(first))))
        let posing = try second.sign(["sub": "usr_1"], header: ["kid": "kid-1"])
        let rows = [
            (posing, "has a wrong signature"),
            (try first.sign([:], header: ["alg": "none"]), "must be signed with RS256"),
            (try first.sign([:], header: ["alg": "HS256"]), "must be signed with RS256"),
            (try first.sign([:], header: ["alg": "PS256"]), "must be signed with RS256"),
            (try first.sign([:], header: ["kid": .null]), "is not a JWT"),
            (try first.sign([:], header: ["crit": .array(["exp"])]), "is not a JWT"),
            ("", "is not a JWT"), ("a.b", "is not a JWT"),
        ]
        for (token, problem) in rows {
            await #expect(throws: Refusal.invalidStepToken(problem)) {
                try await keys.verify(token, keysAt: url, now: now)
            }
        }
    }
}
