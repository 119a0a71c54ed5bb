internal import Crypto
internal import Foundation
internal import SessionTokens

extension ScopeRule {
    /// Names the rule by its content. A page that was opened before another operator changed the rule names one that does not
    /// exist any more. Equal rules have the same id; only the first of them is ever used.
    package var id: String {
        let content = (try? TokenJSON.encode(self)) ?? Data()
        return Base64URL.encode(Data(SHA256.hash(data: content)).prefix(12))
    }
}

extension StepUpConfig {
    /// - Throws: `Refusal.notFound` if no rule has this id.
    func place(of id: String) throws(Refusal) -> Int {
        guard let place = rules.firstIndex(where: { $0.id == id }) else {
            throw .notFound("there is no such rule; it may have been changed or removed")
        }
        return place
    }
}
