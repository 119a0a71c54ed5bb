import Foundation

/// Something that reads what strangers send, with what must hold for every input.
package struct FuzzTarget: Sendable {
    package let name: String
    package let seeds: [String]
    /// What the format is made of.
    package let words: [String]
    /// Throws a `Violation` when something does not hold. Whether the input was accepted.
    package let check: @Sendable ([UInt8]) throws -> Bool

    package init(
        _ name: String, seeds: [String], words: [String] = [], check: @escaping @Sendable ([UInt8]) throws -> Bool
    ) {
        self.name = name
        self.seeds = seeds
        self.words = words
        self.check = check
    }

    /// The same for what reads text; bytes that are no UTF-8 are repaired first, as Swift does it.
    package init(
        text name: String, seeds: [String], words: [String] = [], check: @escaping @Sendable (String) throws -> Bool
    ) {
        self.init(name, seeds: seeds, words: words) { try check(String(decoding: $0, as: UTF8.self)) }
    }

    package static func all() throws -> [FuzzTarget] { try tokens() + formats() + edge() + bodies() + hooks() }

    package struct Violation: Error, CustomStringConvertible {
        package let description: String

        package init(_ description: String) { self.description = description }
    }

    package static func require(_ holds: Bool, _ requirement: String) throws {
        guard holds else { throw Violation(requirement) }
    }

    /// Runs mutations of the seeds, all derived from one number.
    ///
    /// - Returns: How many there were, and how many of them were accepted.
    package func run(seed: UInt64, while goesOn: (Int) -> Bool) throws -> (runs: Int, accepted: Int) {
        var mutator = Mutator(seed: seed, seeds: seeds.map { Array($0.utf8) }, words: words)
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
