import Foundation
import HTTPTypes
import Testing

@testable import PreludeSession

@Suite("Sessions that the server must still revoke")
struct PendingRevocationsTests {
    private let now = Date(timeIntervalSince1970: 1_000_000)

    private func entry(_ number: Int) -> PendingRevocations.Entry { .init(refreshToken: "r-\(number)", expiresAt: nil) }

    @Test("A full queue drops its oldest entry")
    func capacity() {
        var pending = PendingRevocations()
        for number in 0...PendingRevocations.capacity { pending.add(entry(number)) }
        #expect(pending.entries.count == PendingRevocations.capacity)
        #expect(pending.entries.first == entry(1))
        pending.remove(entry(1))
        #expect(pending.entries.first == entry(2))
    }

    @Test(
        "An entry expires with its refresh token", arguments: [(nil, false), (-1.0, true), (0.0, false), (1.0, false)])
    func expiry(seconds: Double?, isExpired: Bool) {
        let expiresAt = seconds.map { now.addingTimeInterval($0) }
        #expect(PendingRevocations.Entry(refreshToken: "r", expiresAt: expiresAt).isExpired(at: now) == isExpired)
    }

    private func isSettled(status: Int, body: String) -> Bool {
        let answer = TransportAnswer(status: status, fields: [:], body: Data(body.utf8))
        let isSuccess = (200..<300).contains(status)
        return PendingRevocations.Entry.isSettled(
            by: isSuccess ? .success(answer) : .failure(ErrorResponse(answer, now: now)))
    }

    @Test(
        "A revocation is settled by a success or a definite rejection, and else sent again later",
        arguments: [
            (400, true), (401, true), (404, true), (409, true), (429, false), (500, false), (503, false),
        ])
    func settledByStatus(status: Int, isSettled: Bool) {
        #expect(self.isSettled(status: status, body: #"{"code":"unauthorized","message":"refused"}"#) == isSettled)
        #expect(self.isSettled(status: 204, body: ""))
    }

    @Test(
        "A response of a captive portal or a proxy settles no revocation",
        arguments: [200, 400, 401, 403, 404, 407, 451, 503])
    func foreign(status: Int) {
        #expect(!isSettled(status: status, body: "<html>Welcome</html>"))
        if status != 200 { #expect(!isSettled(status: status, body: "")) }
    }

    @Test("A revocation without its device key is settled, one without a network is not")
    func settledByError() {
        let isSettled = PendingRevocations.Entry.isSettled
        #expect(isSettled(.failure(PreludeSessionError.deviceKeyLost("lost"))))
        #expect(!isSettled(.failure(PreludeSessionError.network(underlying: CancellationError()))))
        #expect(!isSettled(.failure(PreludeSessionError.timeout)))
        #expect(!isSettled(.failure(PreludeSessionError.storageUnavailable("locked"))))
        #expect(!isSettled(.failure(CancellationError())))
    }
}
