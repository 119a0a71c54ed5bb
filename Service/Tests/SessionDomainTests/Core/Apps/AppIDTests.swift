internal import Foundation
internal import SessionDomain
internal import Synchronization
internal import Testing

@Suite("App ids")
struct AppIDTests {
    @Test("Seven lower-case letters or digits are a valid app id", arguments: ["abcdefg", "0123456", "a1b2c3z"])
    func valid(text: String) throws {
        let id = try #require(AppID(text))
        #expect(id.rawValue == text)
        #expect(try JSONDecoder().decode([AppID].self, from: JSONEncoder().encode([id])) == [id])
    }

    @Test(
        "Any other text is not a valid app id",
        arguments: [
            "", "abcdef", "abcdefgh", "Abcdefg", "abc-efg", "abc efg", "abcdef\u{E9}", "abcde\u{E9}", "abc\0efg",
        ])
    func invalid(text: String) throws {
        #expect(AppID(text) == nil)
        let json = try JSONEncoder().encode([text])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([AppID].self, from: json) }
    }

    @Test("A random id skips bytes that would make some letters more likely")
    func random() {
        let bytes: [UInt8] = [255, 252, 0, 25, 26, 35, 36, 251, 253, 71] + Array(repeating: 1, count: 6)
        let environment = ServiceEnvironment(
            now: { now }, randomBytes: { Array(bytes.prefix($0)) }, sleep: { _ in })
        #expect(AppID(environment: environment).rawValue == "az09a99")
    }

    @Test("A random id requests more bytes until it has seven characters")
    func again() {
        let rounds = Mutex(0)
        let environment = ServiceEnvironment(
            now: { now },
            randomBytes: { count in
                let round = rounds.withLock { rounds in
                    rounds += 1
                    return rounds
                }
                return Array(repeating: round < 3 ? 255 : 7, count: count)
            }, sleep: { _ in })
        #expect(AppID(environment: environment).rawValue == "hhhhhhh")
        #expect(rounds.withLock { $0 } == 3)
    }
}
