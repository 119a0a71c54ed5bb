import SessionEgress
import Synchronization

/// Answers what it was told to, one answer a question; the last one for ever.
final class LyingResolver: HostResolver {
    private let answers: [[String]]
    private let state = Mutex<[String]>([])

    init(_ answers: [String]...) {
        self.answers = answers
    }

    /// The hosts that were asked for.
    var questions: [String] { state.withLock { $0 } }

    func addresses(of host: String) async throws -> [String] {
        let count = state.withLock { questions in
            questions.append(host)
            return questions.count
        }
        return answers[min(count, answers.count) - 1]
    }
}
