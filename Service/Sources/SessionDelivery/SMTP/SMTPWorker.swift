internal import CCurl
internal import Dispatch
internal import SessionDomain

/// Sends mails on its own thread, because libcurl blocks it. Keeps the connection to its last server open.
actor SMTPWorker {
    /// Seconds after which an unused connection is not used again. Common servers close theirs after 60 and more.
    static let idleSeconds = 50

    struct Outcome: Sendable {
        let conversation: SMTPConversation
        /// `nil` when the server has accepted the mail.
        let problem: SMTPProblem?
        /// Whether the mail was sent on an open connection.
        let isReused: Bool
    }

    private struct Connection {
        let server: SMTPServer
        let handle: CurlHandle
        var extensions: [String: String] = [:]
    }

    private let executor: ThreadExecutor
    private var open: Connection?

    init(number: Int) { executor = ThreadExecutor(label: "prelude-session.mail.\(number)") }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Sends one mail. Ends within a second when the task is cancelled.
    func send(_ job: SMTPJob) -> Outcome {
        guard !Task.isCancelled else {
            return Outcome(conversation: SMTPConversation(), problem: .cancelled, isReused: false)
        }
        guard var connection = connection(to: job.server) else {
            return Outcome(conversation: SMTPConversation(), problem: .other("libcurl cannot be used"), isReused: false)
        }
        let transfer = SMTPTransfer(job: job, handle: connection.handle)
        var exchange = transfer.run(extensions: connection.extensions, isFresh: false)
        if exchange.foundClosedConnection, !Task.isCancelled {
            exchange = transfer.run(extensions: [:], isFresh: true)
        }
        let problem = exchange.problem
        connection.extensions = exchange.conversation.extensions
        // libcurl keeps a connection open on which a reply is missing. The next mail would take it for its own.
        open = problem == nil ? connection : nil
        return Outcome(conversation: exchange.conversation, problem: problem, isReused: exchange.isReused)
    }

    private func connection(to server: SMTPServer) -> Connection? {
        if let open, open.server == server { return open }
        // Closes the other one first.
        open = nil
        return CurlHandle().map { Connection(server: server, handle: $0) }
    }
}

/// Runs an actor on a serial queue of its own. On Linux such a queue has its own thread, apart from Swift's pool.
final class ThreadExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
