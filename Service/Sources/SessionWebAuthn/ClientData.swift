internal import Crypto
internal import Foundation
internal import SessionTokens

/// Who verifies: its RP ids and origins. All are compared byte by byte.
package struct RelyingParty: Sendable {
    package var ids: [String]
    /// The origins of pages, such as `https://example.com`, and of Android apps, such as `android:apk-key-hash:…`.
    package var origins: [String]
    /// The origins whose pages may contain a frame of the relying party. `nil`: a page in a frame of another origin is
    /// rejected. Older clients do not name the origin, and then any value but `nil` accepts it.
    package var topOrigins: [String]?

    package init(ids: [String], origins: [String], topOrigins: [String]? = nil) {
        (self.ids, self.origins, self.topOrigins) = (ids, origins, topOrigins)
    }
}

/// What the client says about a ceremony (§5.8.1). Unknown members are ignored.
struct ClientData: Sendable {
    enum Kind: String {
        case create = "webauthn.create"
        case get = "webauthn.get"
    }

    static let maximumSize = 16_384

    private let members: Members
    /// The SHA-256 of the bytes, which the authenticator signs.
    let hash: [UInt8]

    init(_ bytes: [UInt8]) throws(WebAuthnError) {
        guard bytes.count <= Self.maximumSize else { throw .tooLong(.clientData) }
        guard let members = try? TokenJSON.read(Members.self, from: Data(bytes)) else { throw .malformedClientData }
        self.members = members
        hash = Array(SHA256.hash(data: bytes))
    }

    /// Checks type, challenge and origins (§7.1 steps 7–11, §7.2 steps 11–15).
    func check(_ kind: Kind, challenge: [UInt8], _ relyingParty: RelyingParty) throws(WebAuthnError) {
        guard Self.same(members.type, kind.rawValue) else { throw .wrongType }
        guard ConstantTime.equal(members.challenge, Base64URL.encode(challenge)) else { throw .wrongChallenge }
        guard relyingParty.origins.contains(where: { Self.same($0, members.origin) }) else {
            throw .wrongOrigin(members.origin)
        }
        guard members.crossOrigin || members.topOrigin != nil else { return }
        guard let topOrigins = relyingParty.topOrigins else { throw .crossOrigin }
        guard let topOrigin = members.topOrigin else { return }
        guard topOrigins.contains(where: { Self.same($0, topOrigin) }) else { throw .wrongTopOrigin(topOrigin) }
    }

    /// Compares bytes. `==` would take texts as equal that Unicode normalizes to one.
    private static func same(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }

    private struct Members: JSONObjectReadable {
        let type: String
        let challenge: String
        let origin: String
        let crossOrigin: Bool
        let topOrigin: String?

        init(_ object: JSONObject) throws {
            type = try object.string("type")
            challenge = try object.string("challenge")
            origin = try object.string("origin")
            crossOrigin = try object.boolIfPresent("crossOrigin") ?? false
            topOrigin = try object.stringIfPresent("topOrigin")
        }
    }
}
