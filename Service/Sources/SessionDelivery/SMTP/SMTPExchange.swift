internal import CCurl
internal import Foundation
internal import SessionDomain

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
