internal import Foundation
internal import Testing

@testable internal import SessionArgon2

@Suite("The memory of hashes")
struct HashMemoryTests {
    private static let password = Array("a password".utf8CString.dropLast())

    /// Where this is 1, the kernel would promise memory that it does not have.
    private static let refusesMemory =
        (try? String(contentsOfFile: "/proc/sys/vm/overcommit_memory", encoding: .utf8))?.hasPrefix("1") == false

    @Test("A verification without memory is an error, and no wrong password", .enabled(if: refusesMemory))
    func outOfMemory() throws {
        let engine = try Argon2Engine.sodium()
        let hash = try engine.hash(Self.password, Argon2Cost(uncheckedPasses: 1, memory: 8192))
        let terabytes = hash.replacingOccurrences(of: "m=8192", with: "m=4294967295")
        #expect(throws: Argon2Error.outOfMemory(kibibytes: 4_294_967_295)) {
            try engine.verify(Self.password, terabytes)
        }
        // A failure before does not make a wrong password an error.
        #expect(try !engine.verify(Self.password + [1], hash))
        #expect(try !engine.verify(Self.password, "no hash"))
        #expect(try engine.verify(Self.password, hash))
    }
}
