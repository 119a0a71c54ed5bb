import SessionEgress
import Synchronization

/// Returns the given answers in order, one per look-up, and repeats the last one.
final class FakeResolver: HostResolver {
    private let answers: [[String]]
    private let state = Mutex<[String]>([])

    init(_ answers: [String]...) {
        self.answers = answers
    }

    /// The hosts that were looked up.
    var questions: [String] { state.withLock { $0 } }

    func addresses(of host: String) async throws -> [String] {
        let count = state.withLock { questions in
            questions.append(host)
            return questions.count
        }
        return answers[min(count, answers.count) - 1]
    }
}
