import Testing

@testable import PreludeSession

@Suite("Names of files")
struct FileNameTests {
    @Test("Only a colon changes in the names of usual records")
    func usual() {
        #expect(FileName.record("localhost:8080.trusted-device") == "localhost_8080.trusted-device")
        #expect(FileName.record("A.example+work.attempt.0f") == "A.example+work.attempt.0f")
    }

    @Test("Different records have different files")
    func different() {
        let names = [
            "a:b", "a_b", "a%5Fb", "a%b", "a/b", "a b", "ä", "a\u{308}", ".a", "%2Ea", "_a", "..", ".", "%", "a\0",
        ]
        #expect(Set(names.map(FileName.record)).count == names.count)
        for file in names.map(FileName.record) {
            #expect(!file.hasPrefix(".") && !file.contains("/") && !file.contains("\0"))
        }
    }
}
