/// Mutates bytes. The same random seed gives the same mutations.
package struct Mutator {
    private var random: SplitMix64
    /// The inputs to mutate. A caller may replace them; the random numbers continue.
    package var seeds: [[UInt8]]
    private let words: [[UInt8]]

    /// The maximum length of a mutation in bytes.
    package static let maximumLength = 16_384

    /// - Parameter words: Parts of the format, which are inserted at random positions.
    package init(seed: UInt64, seeds: [[UInt8]], words: [String]) {
        random = SplitMix64(seed: seed)
        self.seeds = seeds
        self.words = (words + Self.commonWords).map { Array($0.utf8) }
    }

    /// Returns one of the seeds after one to eight changes.
    package mutating func next() -> [UInt8] {
        var bytes = seeds.randomElement(using: &random) ?? []
        for _ in 0..<Int.random(in: 1...8, using: &random) { change(&bytes) }
        return Array(bytes.prefix(Self.maximumLength))
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        let position = Int.random(in: 0...bytes.count, using: &random)
        let end = min(bytes.count, position + Int.random(in: 0...16, using: &random))
        switch Int.random(in: 0..<9, using: &random) {
        case 0: if position < bytes.count { bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
        case 1: if position < bytes.count { bytes[position] = UInt8.random(in: .min ... .max, using: &random) }
        case 2: bytes.insert(UInt8.random(in: 0x20...0x7E, using: &random), at: position)
        case 3: bytes.removeSubrange(position..<end)
        case 4: bytes.insert(contentsOf: bytes[position..<end], at: position)
        case 5: bytes.insert(contentsOf: words.randomElement(using: &random) ?? [], at: position)
        case 6: bytes.replaceSubrange(position..<end, with: words.randomElement(using: &random) ?? [])
        case 7:
            let other = seeds.randomElement(using: &random) ?? []
            bytes = Array(bytes[..<position] + other[Int.random(in: 0...other.count, using: &random)...])
        default:
            let run = [UInt8](repeating: bytes.isEmpty ? 0x61 : bytes[min(position, bytes.count - 1)], count: 300)
            bytes.insert(contentsOf: run, at: position)
        }
    }

    private static let commonWords = [
        "", " ", "\t", "\r\n", "\0", ".", "..", ",", ";", ":", "=", "%", "%00", "%2e", "/", "//", "@", "\"", "\\",
        "\\u0000",
        "\\ud800", "{", "}", "[", "]", "null", "true", "-1", "0", "1e309", "9223372036854775808", "NaN", "é",
        "e\u{301}",
        "\u{200B}", "\u{FEFF}", "\u{202E}", "İ", "ß", "\u{1F600}", "\u{130}\u{307}",
    ]
}
