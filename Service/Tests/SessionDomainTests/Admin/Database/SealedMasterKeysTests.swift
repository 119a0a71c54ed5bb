internal import Foundation
internal import SessionDomain
internal import Testing

@Suite("The master keys in a backup")
struct SealedFileTests {
    private static let key = Data(repeating: 1, count: 32)
    private static let manifest = Data("the manifest".utf8)
    private static let derivation = SealedFile.Derivation(passes: 1, memory: 8192, salt: Data(0..<16))

    private func sealed() throws -> SealedFile {
        try SealedFile(
            sealing: Data("the key file".utf8), key: Self.key, derivation: Self.derivation, manifest: Self.manifest)
    }

    // Proves: B1
    @Test("Sealed keys are opened with the same key and the same manifest only")
    func opening() throws {
        let sealed = try SealedFile(try sealed().encoded())
        #expect(sealed.derivation == Self.derivation)
        #expect(try sealed.open(key: Self.key, manifest: Self.manifest) == Data("the key file".utf8))
        #expect(throws: BackupError.cannotOpen) {
            try sealed.open(key: Data(repeating: 2, count: 32), manifest: Self.manifest)
        }
        #expect(throws: BackupError.cannotOpen) {
            try sealed.open(key: Self.key, manifest: Data("another manifest".utf8))
        }
    }

    @Test("The sealed bytes do not contain the keys")
    func encrypted() throws {
        let text = String(decoding: try sealed().encoded(), as: UTF8.self)
        #expect(!text.contains("key file"))
        #expect(!text.contains(Data("the key file".utf8).base64EncodedString()))
    }

    @Test(
        "A damaged file is rejected",
        arguments: [
            (#""version" : 1"#, #""version" : 2"#), ("argon2id", "pbkdf2"), (#""salt" : ""#, #""salt" : "AAAA"#),
            ("{", ""),
        ])
    func damaged(part: String, change: String) throws {
        let text = String(decoding: try sealed().encoded(), as: UTF8.self)
        let changed = text.replacingOccurrences(of: part, with: change)
        #expect(changed != text)
        #expect(throws: BackupError.invalidSealedKeys) { try SealedFile(Data(changed.utf8)) }
    }

    @Test("A restore adds the keys of the backup behind the existing ones, and removes none")
    func merging() {
        let keys = (0..<3).map { MasterKey(secret: Data(repeating: $0, count: 32)) }
        #expect(RestoredMasterKeys.merge(existing: [], backup: [keys[0], keys[1]]) == [keys[0], keys[1]])
        #expect(
            RestoredMasterKeys.merge(existing: [keys[2], keys[0]], backup: [keys[0], keys[1]])
                == [keys[2], keys[0], keys[1]])
        #expect(RestoredMasterKeys.missing(in: [keys[0], keys[1]], of: [keys[1]]).isEmpty)
        #expect(RestoredMasterKeys.missing(in: [keys[0]], of: [keys[1]]) == [keys[1]])
    }
}
