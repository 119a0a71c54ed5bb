import Foundation
import SessionDomain
import SessionHTTP

/// A file with the step-up configuration of an app.
enum StepUpRulesFile {
    /// A member whose value does not matter.
    private struct AnyMember: Decodable { init(from decoder: any Decoder) {} }

    /// Reads the configuration. An unknown member is an error here: a misspelt one would delete rules.
    ///
    /// - Throws: `Refusal` that names the member.
    static func read(_ data: Data) throws(Refusal) -> StepUpConfigChange {
        let members = try JSONBody.read([String: AnyMember].self, from: data).keys.sorted()
        for member in members where !StepUpConfigBody.members.contains(member) {
            throw .invalidField(
                member,
                member == "config"
                    ? "is the frame of a response; the file must have its content only" : "is not a known member")
        }
        return try JSONBody.read(StepUpConfigBody.self, from: data).change
    }
}
