import Foundation
import SessionTokens

/// The valid and invalid texts in `Vectors`. Other implementations made them, so they differ from our own seeds.
enum Vectors {
    /// Access tokens without duplicates.
    static func accessTokens() throws -> [String] {
        try unique(file("access-tokens").compactMap { $0["token"]?.stringValue })
    }

    /// Proofs without duplicates.
    static func proofs() throws -> [String] {
        try unique(
            file("dpop-proofs").flatMap { vector -> [JSONValue] in
                if case .array(let values) = vector["proofs"] { values } else { [] }
            }.compactMap(\.stringValue))
    }

    /// Public keys as JSON.
    static func keys() throws -> [String] {
        try unique(
            file("thumbprints").compactMap { $0["jwk"] }.map {
                String(decoding: try TokenJSON.encode($0), as: UTF8.self)
            })
    }

    /// Decoded headers and payloads of all tokens and proofs. Parts that are not base64url are left out.
    static func parts() throws -> [String] {
        try unique(
            (accessTokens() + proofs()).flatMap { $0.split(separator: ".").prefix(2) }
                .compactMap { Base64URL.decode($0) }.map { String(decoding: $0, as: UTF8.self) })
    }

    /// The registrations of WebAuthn Level 3 §16.
    static func passkeys() throws -> [PasskeyVector] {
        try file("webauthn", in: tests).map { vector in
            guard case .object(let registration) = vector["registration"] else { throw CocoaError(.coderReadCorrupt) }
            func bytes(_ name: String) -> [UInt8] {
                let digits = (registration[name]?.stringValue ?? "").compactMap(\.hexDigitValue)
                return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
            }
            return PasskeyVector(
                challenge: bytes("challenge"), clientDataJSON: bytes("clientDataJSON"),
                attestationObject: bytes("attestationObject"))
        }
    }

    /// `Service/Tests`.
    private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    private static let root = tests.deletingLastPathComponent().deletingLastPathComponent()

    private static func file(_ name: String, in folder: URL = root) throws -> [[String: JSONValue]] {
        struct File: Decodable { let vectors: [[String: JSONValue]] }
        return try JSONDecoder().decode(
            File.self, from: Data(contentsOf: folder.appendingPathComponent("Vectors/\(name).json"))
        ).vectors
    }

    private static func unique(_ texts: [String]) -> [String] {
        var seen: Set<String> = []
        return texts.filter { seen.insert($0).inserted }
    }
}
