import Foundation
import Testing

@testable import SessionDomain

@Suite("Tokens of known devices")
struct KnownDeviceTests {
    private let device = TestApp.device()

    private func token() throws -> String { device.token(app: try appID(), keys: TestApp.keys) }

    private func read(
        _ token: String?, app: String = "domain1", lifetime: Int = KnownDevice.longestLifetime, after seconds: Int = 0
    ) throws -> KnownDevice? {
        KnownDevice(token, app: try appID(app), lifetime: lifetime, keys: TestApp.keys, now: now + seconds)
    }

    // Proves: O21
    @Test("A token is valid for 180 days or as the app says, in its app only")
    func valid() throws {
        #expect(try read(token()) == device)
        #expect(try read(token(), after: KnownDevice.longestLifetime - 1) == device)
        #expect(try read(token(), after: KnownDevice.longestLifetime) == nil)
        #expect(try read(token(), lifetime: 86_400, after: 86_399) == device)
        #expect(try read(token(), lifetime: 86_400, after: 86_400) == nil)
        #expect(try read(token(), app: "domain2") == nil)
        // Issued by a node whose clock is ahead.
        #expect(try read(token(), after: -86_400) == device)
        #expect(try read(token(), after: -86_401) == nil)
    }

    @Test("A token is valid under an older master key, and not under a foreign one")
    func keys() throws {
        let other = MasterKey(secret: Data(repeating: 8, count: 32))
        let old = MasterKey(secret: Data(repeating: 7, count: 32))
        let rotated = KeyRing(current: other, older: [old])
        #expect(
            KnownDevice(try token(), app: try appID(), lifetime: KnownDevice.longestLifetime, keys: rotated, now: now)
                == device)
        #expect(
            KnownDevice(
                try token(), app: try appID(), lifetime: KnownDevice.longestLifetime, keys: KeyRing(current: other),
                now: now) == nil)
    }

    @Test("A device is known to its own user only, and a former one once a change voids the user's logins")
    func known() throws {
        let user = try TestApp.user()
        var later = user
        later.loginEpoch += 1
        #expect(device.standing(for: user) == .known && device.standing(for: later) == .former)
        #expect(TestApp.device(epoch: 1).standing(for: later) == .known)
        // The database is older than the device: a backup is back.
        #expect(TestApp.device(epoch: 1).standing(for: user) == .former)
        for epoch in [0, 1] as [Int64] {
            #expect(TestApp.device(of: "usr_2", epoch: epoch).standing(for: user) == .stranger)
        }
        #expect(device.standing(atEpoch: nil) == .stranger)
    }

    // Proves: O21
    @Test("No part of a token can be changed")
    func forged() throws {
        let parts = try token().split(separator: ".").map(String.init)
        for index in parts.indices {
            for changed in [parts[index] + "1", "1" + parts[index], ""] {
                var forged = parts
                forged[index] = changed
                #expect(try read(forged.joined(separator: ".")) == nil)
            }
        }
        for text in [nil, "", ".....", "a.b.99999999999999999999.0.c.d", "a.b.9223372036854775807.0.c.d"] as [String?] {
            #expect(try read(text) == nil)
        }
        let (keyID, mac) = TestApp.keys.refreshTokenMAC("\(try appID())\0ses_1\00")
        #expect(try read("usr_1.dev_1.0.0.\(keyID).\(mac)") == nil)
        #expect(try read(try token() + String(repeating: ".", count: 300)) == nil)
    }
}
