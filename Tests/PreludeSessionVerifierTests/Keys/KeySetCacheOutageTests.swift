import Foundation
import HTTPTypes
import PreludeSessionVerifier
import SessionConformance
import SessionTokens
import Synchronization
import Testing

/// The key cache while the service is down, slow or sends invalid key sets.
@Suite("Verifier: key cache during outages")
struct KeySetCacheOutageTests {
    private static let next = SigningKey.generate(.edDSA)

    @Test(
        "A fetch that does not end is cancelled after the timeout and repeated later",
        .timeLimit(.minutes(5)))
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
        let token = try backend.longLivedToken()
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

    @Test("While the service is down, tokens wait for it at most once in a minute")
    func idleWhileDown() async throws {
        let backend = try Backend()
        let token = try backend.longLivedToken()
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
        let token = try backend.longLivedToken()
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
        _ = try await backend.verifier.verify(backend.longLivedToken())
        backend.source.goDown()
        backend.clock.advance(30)
        let rotated = try backend.longLivedToken(signedBy: Self.next)
        #expect(try await backend.verifier.rejection(of: rotated).reason == .keysUnavailable)
    }

    @Test("Without keys, the verifier fetches again after one second and not with each token")
    func minimumRetryInterval() async throws {
        let backend = try Backend()
        backend.source.goDown()
        let token = try backend.longLivedToken()
        for _ in 0..<5 { #expect(try await backend.verifier.rejection(of: token).reason == .keysUnavailable) }
        #expect(backend.source.fetches == 1)
        backend.source.publish(try Backend.keySet([PublishedKeys.service]))
        backend.clock.advance(1)
        #expect(try await backend.verifier.verify(token).userID == "usr_1")
    }

    @Test(
        "A response that is not a key set, or has no usable key, does not replace the cached keys",
        arguments: [
            "", "<html>", "[]", "{}", #"{"keys":{}}"#, #"{"keys":[],"keys":[]}"#, #"{"keys":[]}"#,
            #"{"keys":[{"kty":"AKP","kid":"new","alg":"ML-DSA-44"}]}"#,
        ])
    func garbage(_ text: String) async throws {
        let backend = try Backend()
        let token = try backend.longLivedToken()
        _ = try await backend.verifier.verify(token)
        backend.source.publish(Data(text.utf8))
        backend.clock.advance(300)
        _ = try await backend.verifier.verify(token)
        while backend.source.fetches < 2 { await Task.yield() }
        let rotated = try backend.longLivedToken(signedBy: Self.next)
        #expect(try await backend.verifier.rejection(of: rotated).reason == .keysUnavailable)
        #expect(try await backend.verifier.verify(token).userID == "usr_1")
    }
}
