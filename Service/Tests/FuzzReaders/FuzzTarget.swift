import Foundation

/// A reader of untrusted input, and the rules that hold for every input.
package struct FuzzTarget: Sendable {
    package let name: String
    package let seeds: [[UInt8]]
    /// Parts of the format, which the mutator inserts.
    package let words: [String]
    /// Returns whether the reader accepted the input. Throws a `Violation` if a rule does not hold.
    package let check: @Sendable ([UInt8]) throws -> Bool

    package init(
        _ name: String, seeds: [String], words: [String] = [], check: @escaping @Sendable ([UInt8]) throws -> Bool
    ) {
        self.init(name, binary: seeds.map { Array($0.utf8) }, words: words, check: check)
    }

    /// Creates a target for a binary format.
    package init(
        _ name: String, binary seeds: [[UInt8]], words: [String] = [],
        check: @escaping @Sendable ([UInt8]) throws -> Bool
    ) {
        self.name = name
        self.seeds = seeds
        self.words = words
        self.check = check
    }

    /// Creates a target for a reader of text. Invalid UTF-8 is repaired first.
    package init(
        text name: String, seeds: [String], words: [String] = [], check: @escaping @Sendable (String) throws -> Bool
    ) {
        self.init(name, seeds: seeds, words: words) { try check(String(decoding: $0, as: UTF8.self)) }
    }

    package static func all() throws -> [FuzzTarget] {
        try tokens() + formats() + edge() + bodies() + hooks() + [form] + passkeys()
    }

    package struct Violation: Error, CustomStringConvertible {
        package let description: String

        package init(_ description: String) { self.description = description }
    }

    package static func require(_ holds: Bool, _ requirement: String) throws {
        guard holds else { throw Violation(requirement) }
    }

    /// Checks mutations of the seeds.
    ///
    /// - Parameters:
    ///   - seed: The random seed.
    ///   - goesOn: Called with the number of runs before each run; `false` ends the loop.
    /// - Returns: The number of runs, and of accepted inputs.
    package func run(seed: UInt64, while goesOn: (Int) -> Bool) throws -> (runs: Int, accepted: Int) {
        var mutator = Mutator(seed: seed, seeds: seeds, words: words)
        var runs = 0
        var accepted = 0
        while goesOn(runs) {
            let input = mutator.next()
            do {
                if try check(input) { accepted += 1 }
            } catch let violation as Violation {
                throw Violation(
                    "\(name): \(violation), seed \(seed), run \(runs), input in Base64: "
                        + Data(input).base64EncodedString())
            }
            runs += 1
        }
        return (runs, accepted)
    }
}
