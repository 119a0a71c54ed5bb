internal import CCurl
internal import Dispatch
internal import Foundation
internal import SessionDomain
internal import SessionEgress
internal import Synchronization

/// The workers of all mail servers. Each server has a few places, so that one that hangs leaves workers to the others.
///
/// A mail waits until its server has a place, and prefers a worker with a connection to it. Workers are made when they are
/// needed.
package final class SMTPWorkers: Sendable {
    /// The number of mails to one server at the same time. Many servers accept few connections of one client.
    static let width = 4
    /// Seconds that a mail waits for a worker.
    static let patience = 10

    /// A mail has waited long enough for a worker.
    struct AllBusy: Error {}

    private struct State {
        /// By `SMTPServer.place`.
        var places: FairSlots<String>
        /// The workers that are free, latest used last, each with the server it sent to.
        var free: [(worker: SMTPWorker, server: SMTPServer)] = []
        var made = 0
        let capacity: Int
        var waiting: [(server: SMTPServer, caller: CancellableContinuation<SMTPWorker>)] = []

        mutating func next() -> (caller: CancellableContinuation<SMTPWorker>, worker: SMTPWorker, server: SMTPServer)? {
            waiting.removeAll { !$0.caller.isAwaited }
            guard let place = places.take(for: waiting.lazy.map(\.server.place)),
                let index = waiting.firstIndex(where: { $0.server.place == place })
            else { return nil }
            let (server, caller) = waiting.remove(at: index)
            return (caller, worker(for: server), server)
        }

        private mutating func worker(for server: SMTPServer) -> SMTPWorker {
            if let index = free.lastIndex(where: { $0.server == server }) { return free.remove(at: index).worker }
            if made == capacity, !free.isEmpty { return free.removeFirst().worker }
            made += 1
            return SMTPWorker(number: made)
        }
    }

    private let state: Mutex<State>
    private let sleep: @Sendable (Int) async throws -> Void

    /// - Parameters:
    ///   - count: The number of mails at the same time.
    ///   - sleep: Waits a number of seconds.
    package init(count: Int = 64, sleep: @escaping @Sendable (Int) async throws -> Void) {
        state = Mutex(State(places: FairSlots(width: Self.width, capacity: count), capacity: count))
        self.sleep = sleep
    }

    /// - Throws: `AllBusy`, or `CancellationError` when the task is cancelled before it has a worker.
    func send(_ job: SMTPJob) async throws -> SMTPWorker.Outcome {
        let worker = try await take(for: job.server)
        let outcome = await worker.send(job)
        release(worker, from: job.server)
        return outcome
    }

    private func take(for server: SMTPServer) async throws -> SMTPWorker {
        let timer = Mutex<Task<Void, Never>?>(nil)
        defer { timer.withLock { $0?.cancel() } }
        return try await CancellableContinuation.wait { caller in
            state.withLock { $0.waiting.append((server, caller)) }
            serve()
            guard caller.isAwaited else { return }
            timer.withLock { timer in
                timer = Task {
                    try? await sleep(Self.patience)
                    caller.resume(with: .failure(AllBusy()))
                }
            }
        }
    }

    /// Gives free workers to the callers that still wait.
    private func serve() {
        while let (caller, worker, server) = state.withLock({ $0.next() }) {
            // A caller that was cancelled meanwhile does not take the worker.
            if !caller.resume(with: .success(worker)) { put(worker, back: server) }
        }
    }

    private func release(_ worker: SMTPWorker, from server: SMTPServer) {
        put(worker, back: server)
        serve()
    }

    private func put(_ worker: SMTPWorker, back server: SMTPServer) {
        state.withLock { state in
            state.places.free(server.place)
            state.free.append((worker, server))
        }
    }
}

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

/// The state of one transfer, which the callbacks of libcurl read and change.
final class SMTPExchange {
    let job: SMTPJob
    private(set) var conversation: SMTPConversation
    private var offset = 0
    private var unmet: SMTPProblem?
    /// The result of libcurl.
    private var code = CURLE_OK
    /// The message of libcurl for an error.
    private var message = ""
    /// Whether the transfer used an open connection.
    private(set) var isReused = false

    init(_ job: SMTPJob, extensions: [String: String]) {
        self.job = job
        conversation = SMTPConversation(extensions: extensions)
    }

    static func from(_ context: UnsafeMutableRawPointer?) -> SMTPExchange? {
        context.map { Unmanaged<SMTPExchange>.fromOpaque($0).takeUnretainedValue() }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let piece = job.mail[offset..<min(offset + buffer.count, job.mail.count)]
        buffer.copyBytes(from: piece)
        offset += piece.count
        return piece.count
    }

    func note(_ line: String, isReply: Bool) {
        if isReply { conversation.received(line) } else { conversation.sent(line) }
    }

    func checkRequirements() -> Bool {
        unmet = job.unmetRequirement(conversation.extensions)
        return unmet == nil
    }

    /// libcurl has ended the transfer.
    func ended(_ code: CURLcode, _ message: String, isReused: Bool) {
        (self.code, self.message, self.isReused) = (code, message, isReused)
    }

    /// Whether an open connection had been closed by the server, and the mail was not begun. A new connection may work.
    var foundClosedConnection: Bool {
        guard isReused, code != CURLE_OK, code != CURLE_OPERATION_TIMEDOUT, unmet == nil else { return false }
        return conversation.replies.isEmpty || conversation.lastReply?.code == 421
    }

    /// `nil` when the server has accepted the mail.
    var problem: SMTPProblem? {
        if let unmet { return unmet }
        let (step, reply) = (conversation.step, conversation.lastReply)
        switch code {
        case CURLE_OK: return nil
        case CURLE_COULDNT_CONNECT: return .cannotConnect(message)
        case CURLE_OPERATION_TIMEDOUT:
            return isConnected ? .timedOut(step) : .cannotConnect("no answer in time")
        case CURLE_ABORTED_BY_CALLBACK: return .cancelled
        case CURLE_USE_SSL_FAILED:
            return reply.map { $0.code >= 400 && step == .startTLS ? .refused(step, $0) : .noSTARTTLS } ?? .noSTARTTLS
        case CURLE_PEER_FAILED_VERIFICATION: return .untrustedCertificate(message)
        case CURLE_SSL_CONNECT_ERROR:
            return job.server.tls == .implicit && Self.namesPlainText(message) ? .notImplicitTLS : .tlsFailed(message)
        case CURLE_SETOPT_OPTION_SYNTAX: return .other("libcurl does not accept the address of the server")
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_INITFAILED: return .tlsFailed(message)
        case CURLE_LOGIN_DENIED:
            if let reply, reply.code == 421 { return .refused(step, reply) }
            // Without any AUTH command, libcurl found no mechanism that both sides know.
            if step == .authentication { return reply.map { $0.code >= 400 ? .loginDenied($0) : .loginDenied(nil) } }
            return job.unmetRequirement(conversation.extensions) ?? .loginDenied(reply)
        default:
            if let reply, reply.code >= 400 { return .refused(step, reply) }
            return step == .greeting && reply == nil && !isConnected ? .cannotConnect(message) : .disconnected(step)
        }
    }

    /// Whether the server has said anything, or libcurl reports a later phase than the connection.
    private var isConnected: Bool { conversation.lastReply != nil || message.contains("bytes") || isReused }

    /// OpenSSL's words when the server's first bytes are no TLS.
    private static func namesPlainText(_ message: String) -> Bool {
        ["wrong version number", "packet length too long", "unknown protocol", "http request"].contains {
            message.contains($0)
        }
    }
}
