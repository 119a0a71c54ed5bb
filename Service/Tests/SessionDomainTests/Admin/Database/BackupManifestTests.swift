internal import Foundation
internal import SessionDomain
internal import Testing

@Suite("The manifest of a backup")
struct BackupManifestTests {
    private static let manifest = BackupManifest(
        createdAt: Timestamp(milliseconds: 1_767_268_800_000), version: "0.1.0", schema: 3,
        database: .init(file: "session.sqlite", size: 4096, sha256: "abc"),
        masterKeys: .init(file: "master-keys.sealed", ids: ["key00001"]))

    @Test("A manifest is read as it was written")
    func roundTrip() throws {
        let bytes = try Self.manifest.encoded()
        #expect(try BackupManifest(bytes) == Self.manifest)
        #expect(String(decoding: bytes, as: UTF8.self).contains(#""created_at" : "2026-01-01T12:00:00Z""#))
    }

    @Test(
        "A manifest of a newer format, a damaged one, and one that names a file elsewhere are rejected",
        arguments: [
            (#""format" : 1"#, #""format" : 2"#, BackupError.newerFormat(2)),
            (#""format" : 1"#, #""format" : "1""#, .invalidManifest), (#""schema" : 3,"#, "", .invalidManifest),
            ("session.sqlite", "../session.sqlite", .invalidManifest), ("session.sqlite", "", .invalidManifest),
            ("master-keys.sealed", "/etc/passwd", .invalidManifest), ("master-keys.sealed", "..", .invalidManifest),
        ])
    func invalid(part: String, change: String, expected: BackupError) throws {
        let text = String(decoding: try Self.manifest.encoded(), as: UTF8.self)
        let changed = text.replacingOccurrences(of: part, with: change)
        #expect(changed != text)
        #expect(throws: expected) { try BackupManifest(Data(changed.utf8)) }
    }

    @Test("A backup with a newer schema is rejected, and an older one is accepted")
    func schema() {
        #expect(throws: Never.self) { try Self.manifest.check(supportedSchema: 3) }
        #expect(throws: Never.self) { try Self.manifest.check(supportedSchema: 4) }
        #expect(throws: BackupError.newerSchema(found: 3, supported: 2)) {
            try Self.manifest.check(supportedSchema: 2)
        }
    }
}
