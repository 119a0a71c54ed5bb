internal import CCurl
internal import Dispatch
internal import SessionDomain

/// Sends mails on its own thread, because libcurl blocks it. Keeps a few connections open.
@available(service, *)
actor SMTPWorker {
    /// Seconds after which an unused connection is not used again. Common servers close theirs after 60 and more.
    static let idleSeconds = 50
    /// Maximum number of servers with an open connection.
    static let maximumHandles = 4

    struct Outcome: Sendable {
        let conversation: SMTPConversation
        /// `nil` when the server has accepted the mail.
        let problem: SMTPProblem?
        /// Whether the mail was sent on an open connection.
        let isReused: Bool
    }

    private struct Entry {
        let handle: CurlHandle
        var extensions: [String: String]
        var lastUse: Int
    }

    private let executor: ThreadExecutor
    private var entries: [SMTPServer: Entry] = [:]
    private var uses = 0

    init(number: Int) { executor = ThreadExecutor(label: "prelude-session.mail.\(number)") }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Sends one mail. Ends within a second when the task is cancelled.
    func send(_ job: SMTPJob) -> Outcome {
        guard !Task.isCancelled else {
            return Outcome(conversation: SMTPConversation(), problem: .cancelled, isReused: false)
        }
        guard var entry = entry(for: job.server) else {
            return Outcome(
                conversation: SMTPConversation(), problem: .other("libcurl cannot be used"), isReused: false)
        }
        let transfer = SMTPTransfer(job: job, handle: entry.handle)
        var exchange = transfer.run(extensions: entry.extensions, isFresh: false)
        if exchange.foundClosedConnection, !Task.isCancelled {
            exchange = transfer.run(extensions: [:], isFresh: true)
        }
        let problem = exchange.problem
        entry.extensions = exchange.conversation.extensions
        // libcurl keeps a connection open on which a reply is missing. The next mail would take it for its own.
        entries[job.server] = problem == nil ? entry : nil
        return Outcome(conversation: exchange.conversation, problem: problem, isReused: exchange.isReused)
    }

    private func entry(for server: SMTPServer) -> Entry? {
        uses += 1
        if var entry = entries[server] {
            entry.lastUse = uses
            return entry
        }
        if entries.count >= Self.maximumHandles, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            entries[oldest.key] = nil
        }
        return CurlHandle().map { Entry(handle: $0, extensions: [:], lastUse: uses) }
    }
}

/// Runs an actor on a serial queue of its own. On Linux such a queue has its own thread, apart from Swift's pool.
@available(service, *)
final class ThreadExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
