import Crypto
import Foundation
import Testing

@testable import PreludeSession

/// Sessions with access tokens that are bound to the device key.
extension ClientFixture {
    /// The thumbprint of the stored key.
    func keyThumbprint() async throws -> String {
        let key = try #require(try await PreludeSoftwareDeviceKeyStore(store: store).key(Self.name))
        let x = TestToken.base64URL(key.publicKey.prefix(32))
        let y = TestToken.base64URL(key.publicKey.suffix(32))
        // RFC 7638 §3.2.
        let members = #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
        return TestToken.base64URL(Data(SHA256.hash(data: Data(members.utf8))))
    }

    static func boundToken(_ name: String, to thumbprint: String) -> String {
        TestToken.jwt([
            "sub": .string("usr_1"), "sid": .string("ses_1"), "jti": .string(name),
            "cnf": .object(["jkt": .string(thumbprint)]),
        ])
    }

    /// Stores a session, as an earlier launch does.
    ///
    /// - Parameter thumbprint: The key that its access token is bound to; `nil` for the device key.
    /// - Returns: The access token.
    @discardableResult
    func signInBound(to thumbprint: String? = nil) async throws -> String {
        let own = try await keyThumbprint()
        let token = Self.boundToken("access-0", to: thumbprint ?? own)
        let stored = StoredSession(
            refreshToken: "refresh-0", accessToken: token, accessTokenExpiresAt: clock.now.addingTimeInterval(300))
        try await store.write(try stored.encoded(), to: Self.name + ".session")
        return token
    }

    /// A response with a bound access token.
    func answer(
        bound token: String, tokenType: String? = "DPoP", number: Int = 1
    ) -> ScriptedTransport.Answer {
        let type = tokenType.map { #", "token_type": "\#($0)""# } ?? ""
        let end = Int(clock.now.timeIntervalSince1970) + 300
        return .success(
            #"{"access_token": "\#(token)", "expires_at": \#(end)\#(type)}"#,
            headers: ["x-refresh-token": "refresh-\(number)"])
    }
}
