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

    private static func file(_ name: String) throws -> [[String: JSONValue]] {
        struct File: Decodable { let vectors: [[String: JSONValue]] }
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try JSONDecoder().decode(
            File.self, from: Data(contentsOf: root.appendingPathComponent("Vectors/\(name).json"))
        ).vectors
    }

    private static func unique(_ texts: [String]) -> [String] {
        var seen: Set<String> = []
        return texts.filter { seen.insert($0).inserted }
    }
}
