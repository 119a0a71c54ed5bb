import Foundation
import SessionRSA
import SessionTokens
import Synchronization
import Testing

@testable import SessionDomain

@Suite("Signed calls to operators' backends")
struct HookCallTests {
    private struct Body: Encodable { let a = 1 }

    private final class Clock: Sendable { let seconds = Mutex(0) }

    /// Sends calls one second after the other.
    private func requests(_ count: Int, prefix: String = "") async throws -> [EgressRequest] {
        let (egress, clock) = (FakeEgress(always: .answer("")), Clock())
        let environment = ServiceEnvironment(
            now: { now + clock.seconds.withLock { $0 } },
            randomBytes: { Array(repeating: UInt8(clock.seconds.withLock { $0 }), count: $0) }, sleep: { _ in })
        let keys = HookKeys(store: KeyStore(), keys: TestApp.keys, directory: nil, environment: environment)
        let call = HookCall(egress: egress, keys: keys, environment: environment)
        for _ in 0..<count {
            clock.seconds.withLock { $0 += 1 }
            _ = try await call.post(
                Body(), to: "https://a.example.com/", agent: "a", prefix: prefix, timeout: 1, app: try TestApp.open())
        }
        return egress.requests
    }

    // Proves: H23
    @Test("Id, time and body are signed together, without the prefix of the first signature")
    func signature() async throws {
        let request = try #require(try await requests(1, prefix: "rsassa-pss-sha256=").first)
        let key = try #require(try TestApp.open().hookKey).publicKey
        let id = try #require(request.header("X-Webhook-Id"))
        let time = try #require(request.header("X-Webhook-Timestamp"))
        #expect(id.hasPrefix("msg_") && id.count == 30)
        #expect(time == String((now + 1).seconds))
        let signature = try #require(request.header("X-Webhook-Signature-V2").flatMap { Base64URL.decode($0) })
        let body = String(decoding: request.body, as: UTF8.self)
        #expect(key.isValidPSS(signature, for: Data("\(id).\(time).\(body)".utf8)))
        for other in ["msg_0.\(time).\(body)", "\(id).1.\(body)", "\(id).\(time).{}", body] {
            #expect(!key.isValidPSS(signature, for: Data(other.utf8)))
        }
    }

    @Test("The first signature covers the body alone")
    func firstSignature() async throws {
        let request = try #require(try await requests(1).first)
        let signature = try #require(request.header("X-Webhook-Signature").flatMap { Base64URL.decode($0) })
        #expect(try #require(try TestApp.open().hookKey).publicKey.isValidPSS(signature, for: request.body))
    }

    // Proves: H23
    @Test("Each request has an id and a time of its own, even with the same body")
    func ids() async throws {
        let requests = try await requests(3)
        #expect(Set(requests.map { $0.header("X-Webhook-Id") }).count == 3)
        #expect(requests.compactMap { $0.header("X-Webhook-Timestamp") } == (1...3).map { String((now + $0).seconds) })
    }
}
