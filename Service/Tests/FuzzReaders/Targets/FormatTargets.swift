import Foundation
import SessionConformance
import SessionDomain
import SessionRSA
import SessionTokens

@testable import SessionArgon2

extension FuzzTarget {
    /// Formats. An accepted text has one meaning, and the encoded value is read as the same value.
    static func formats() throws -> [FuzzTarget] {
        let key = String(decoding: try TokenJSON.encode(PublishedKeys.device.publicJWK), as: UTF8.self)
        let other = String(decoding: try TokenJSON.encode(PublishedKeys.service.publicJWK), as: UTF8.self)
        let members = [
            "\"d\":\"AQ\",", "\"kty\":\"RSA\",", "\"crv\":\"P-256\",", "\"x\":", "\"y\":", "AA", "\"kid\":\"1\",",
        ]
        return try [
            FuzzTarget(text: "base64url", seeds: ["", "AQ", "AQI", "AQID", key], words: ["=", "+", "/", "-", "_"]) {
                text in
                guard let bytes = Base64URL.decode(text) else { return false }
                try require(Base64URL.encode(bytes) == text, "bytes have a second encoding")
                return true
            },
            FuzzTarget("keys", seeds: [key, other] + Vectors.keys(), words: members) { bytes in
                guard let read = try? TokenJSON.decode(PublicJWK.self, from: Data(bytes)) else { return false }
                let again = try TokenJSON.decode(PublicJWK.self, from: TokenJSON.encode(read))
                try require(
                    again == read && again.requiredMembers == read.requiredMembers,
                    "a key differs after it was written and read again")
                try require(
                    !read.requiredMembers.keys.contains("d") && Base64URL.decode(read.thumbprint)?.count == 32,
                    "a key is private or has no thumbprint")
                return true
            },
            try keySets(members: members),
            FuzzTarget(
                "strict JSON",
                seeds: [#"{"a":[1,2.5,"x",null,true],"b":{"c":"\u0061"}}"#, "[[[[]]]]", #"{"a":1,"\u0062":2}"#, key]
                    + Vectors.parts(),
                words: [#""a":"#, #""\u0061":"#, "[", "{", "1e400", "0.1", "-0"]
            ) { bytes in
                guard let read = try? TokenJSON.decode(JSONValue.self, from: Data(bytes)) else { return false }
                let again = try TokenJSON.decode(JSONValue.self, from: TokenJSON.encode(read))
                try require(again == read, "a value differs after it was written and read again")
                try require(String(validating: bytes, as: UTF8.self) != nil, "accepted JSON that is not UTF-8")
                return true
            },
            FuzzTarget(
                text: "target URIs",
                seeds: ["https://api.example.com/v1/./a/../b?x=1#y", "HTTP://[::1]:8080/%7euser//x", "https://a:443"],
                words: ["://", "user@", ":80", "[", "]", "/..", "/.", "%2F", "%2e%2e", "?", "#"]
            ) { text in
                guard let read = TargetURI(text) else { return false }
                try require(TargetURI(read.absoluteString) == read, "the normal form is not stable")
                try require(
                    read.path.hasPrefix("/") && !read.path.contains("/../"), "the path is not absolute and normal")
                try require(
                    read.host == read.host.lowercased() && !read.host.isEmpty, "the host is empty or not in lower case")
                try require(
                    !read.absoluteString.contains { "?# @".contains($0) && !read.path.contains($0) },
                    "the query, fragment or user info was kept")
                try require(TargetURI(read.absoluteString + "?x#y") == read, "the query or fragment changes the target")
                return true
            },
            identifier(
                "phone_number", seeds: ["+14155551234", "+1 (415) 555-1234", "+49\u{A0}30 901820"],
                words: ["+", "00", "-", "(", "٣", "１"]),
            identifier(
                "email_address",
                seeds: ["ada@example.com", " Ada.Lovelace@Example.COM ", "ü@bücher.example", "İ@i.tr"],
                words: ["@", ".", "-", "\u{301}", "İ", "ẞ", "\u{212A}", "ﬁ", String(repeating: "x", count: 63)]),
            FuzzTarget(
                text: "PHC strings", seeds: ["$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaGhhc2g"],
                words: ["$", "m=", "t=", "p=", ",", "+1", "01", "4294967296", "v=16", "argon2i"]
            ) { text in
                guard let read = PHCString(text) else { return false }
                let parameters = "$argon2id$v=19$m=\(read.cost.memory),t=\(read.cost.passes),p=\(read.lanes)$"
                try require(text.utf8.starts(with: parameters.utf8), "wrong parameters")
                try require(read.cost.memory > 0 && read.cost.passes > 0 && read.lanes > 0, "a parameter is zero")
                return true
            },
        ]
    }

    /// Key sets of other issuers. Every key that is found is public, has its `kid`, and has a requested algorithm.
    private static func keySets(members: [String]) throws -> FuzzTarget {
        let published = try [PublishedKeys.service, PublishedKeys.device].map { key in
            String(decoding: try TokenJSON.encode(key.publicJWK.publishedMembers), as: UTF8.self)
        }
        // Keys of the vectors have no `kid`.
        let named = try Vectors.keys().map { "{" + #""kid":"1","# + $0.dropFirst() }
        let ids = ["1", PublishedKeys.service.keyID, PublishedKeys.device.keyID]
        return FuzzTarget(
            "key sets",
            seeds: [#"{"keys":[\#(published.joined(separator: ","))]}"#, #"{"keys":[]}"#]
                + named.map { #"{"keys":[\#($0)]}"# },
            words: members + published + [
                ",", "\"keys\":", "\"use\":\"enc\",", "\"alg\":\"RS256\",", "\"e\":\"AQAB\",",
            ]
        ) { bytes in
            guard let all = try? PublishedKeySet(json: Data(bytes), algorithms: Set(SignatureAlgorithm.allCases)) else {
                return false
            }
            let some = try PublishedKeySet(json: Data(bytes), algorithms: [.es256])
            try require(
                some.count <= all.count && all.count <= PublishedKeySet.maximumKeys, "the set has too many keys")
            for id in ids {
                guard let key = all.key(id: id) else {
                    try require(some.key(id: id) == nil, "found a key of an algorithm that was not requested")
                    continue
                }
                try require(
                    key.requiredMembers.keys.allSatisfy { ["kty", "crv", "x", "y", "n", "e"].contains($0) }
                        && Base64URL.decode(key.thumbprint)?.count == 32, "the key is not public")
                try require(
                    some.key(id: id).map { $0.algorithm == .es256 } ?? true,
                    "the key has an algorithm that was not requested")
            }
            return all.count > 0
        }
    }

    private static func identifier(_ type: String, seeds: [String], words: [String]) -> FuzzTarget {
        FuzzTarget(text: "identifiers: \(type)", seeds: seeds, words: words) { text in
            guard let read = try? CanonicalIdentifier(type: type, value: text) else { return false }
            let typed = try? CanonicalIdentifier(type: type, value: read.value)
            try require(typed == read, "the shown form is another identifier")
            guard let again = try? CanonicalIdentifier(type: type, value: read.canonical) else {
                throw Violation("the canonical form is rejected")
            }
            try require(Array(again.canonical.utf8) == Array(read.canonical.utf8), "the canonical form is not stable")
            return true
        }
    }
}
