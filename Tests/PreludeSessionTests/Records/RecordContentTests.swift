import Foundation
import Testing

@testable import PreludeSession

@Suite("Records of the credential store")
struct RecordContentTests {
    @Test("The names of records and locks never change")
    func names() {
        #expect(
            RecordName.allCases.map { $0.storageName(endpoint: "localhost:8080") } == [
                "localhost:8080.session", "localhost:8080.attempt", "localhost:8080.device", "localhost:8080.stepup",
                "localhost:8080.revocations", "localhost:8080.trusted-device", "localhost:8080.login",
                "localhost:8080.sign-out", "localhost:8080.key", "localhost:8080.enclave-key",
            ])
        #expect(
            RecordLock.allCases.map { $0.storageName(endpoint: "localhost:8080") } == [
                "localhost:8080.write", "localhost:8080.refresh", "localhost:8080.device-key",
                "localhost:8080.stepup", "localhost:8080.revocations",
            ])
    }

    private static let session = #""accessToken":"a","accessTokenExpiresAt":1,"refreshToken":"r""#

    @Test(
        "A record is valid, of a newer version, or damaged",
        arguments: [
            (#"{"version":1,\#(session)}"#, "valid"), (#"{"version":1,\#(session),"more":true}"#, "valid"),
            (#"{"version":2,\#(session)}"#, "newer"), (#"{"version":2}"#, "newer"),
            (#"{"version":1}"#, "invalid"), (#"{"version":0,\#(session)}"#, "invalid"),
            (#"{"version":-1,\#(session)}"#, "invalid"), (#"{"version":"1",\#(session)}"#, "invalid"),
            (#"{\#(session)}"#, "invalid"), ("", "invalid"), ("?", "invalid"), ("[]", "invalid"),
        ])
    func content(_ text: String, expected: String) {
        let content =
            switch RecordContent<StoredSession>(Data(text.utf8)) {
            case .valid: "valid"
            case .newerVersion: "newer"
            case .invalid: "invalid"
            }
        #expect(content == expected)
    }

    @Test("A record of a newer version is unavailable storage, never replaced or taken for damaged")
    func newerVersion() async throws {
        let content = RecordContent<PendingRevocations>(Data(#"{"version":2}"#.utf8))
        #expect(content.isNewerVersion)
        #expect(
            try await failure { _ = try content.record(orThrow: .deviceKeyLost("damaged")) } == "storageUnavailable")
        #expect(
            try await failure { _ = try content.record(replacingInvalid: PendingRevocations()) }
                == "storageUnavailable")
    }

    @Test("A damaged record throws the caller's error or is replaced")
    func damaged() async throws {
        let content = RecordContent<PendingRevocations>(Data("?".utf8))
        #expect(try await failure { _ = try content.record(orThrow: .deviceKeyLost("damaged")) } == "deviceKeyLost")
        #expect(try content.record(replacingInvalid: PendingRevocations()) == PendingRevocations())
    }
}
