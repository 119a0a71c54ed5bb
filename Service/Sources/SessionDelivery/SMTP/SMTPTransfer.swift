internal import CCurl
internal import Foundation
internal import SessionDomain

/// One transfer with libcurl. It blocks the thread.
struct SMTPTransfer {
    /// Milliseconds until the server must be ready for a mail: connected, with TLS, and signed in.
    private static let connectTimeout = 10_000

    let job: SMTPJob
    let handle: CurlHandle

    /// - Parameters:
    ///   - extensions: Those of the open connection of the handle.
    ///   - isFresh: Whether an open connection must not be used.
    func run(extensions: [String: String], isFresh: Bool) -> SMTPExchange {
        let exchange = SMTPExchange(job, extensions: extensions)
        let recipients = CurlList([job.recipient])
        // The name is never resolved by libcurl: it has exactly these addresses. An IPv6 address is its own, and libcurl
        // rejects an entry for it.
        let addresses = job.addresses.map { $0.contains(":") ? "[\($0)]" : $0 }.joined(separator: ",")
        let pins = CurlList(job.server.isIPv6 ? [] : ["+\(job.server.host):\(job.server.port):\(addresses)"])
        configure(isFresh: isFresh)
        _ = ccurl_set_list(handle.pointer, CURLOPT_MAIL_RCPT, recipients.pointer)
        _ = ccurl_set_list(handle.pointer, CURLOPT_RESOLVE, pins.pointer)
        let context = Unmanaged.passUnretained(exchange).toOpaque()
        for option in [CURLOPT_READDATA, CURLOPT_DEBUGDATA, CURLOPT_XFERINFODATA, CURLOPT_PREREQDATA] {
            _ = ccurl_set_pointer(handle.pointer, option, context)
        }
        setCallbacks()
        var message = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))
        let code = withExtendedLifetime((exchange, recipients, pins)) {
            message.withUnsafeMutableBufferPointer { buffer in
                _ = ccurl_set_pointer(handle.pointer, CURLOPT_ERRORBUFFER, buffer.baseAddress)
                defer { _ = ccurl_set_pointer(handle.pointer, CURLOPT_ERRORBUFFER, nil) }
                return curl_easy_perform(handle.pointer)
            }
        }
        exchange.ended(
            code, String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self),
            isReused: handle.number(CURLINFO_NUM_CONNECTS) == 0)
        // Removes the pointers to the exchange.
        handle.reset()
        return exchange
    }

    private func configure(isFresh: Bool) {
        let server = job.server
        handle.set(CURLOPT_URL, server.url)
        handle.set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        // Proxies of the environment would resolve the name again.
        handle.set(CURLOPT_PROXY, "")
        handle.set(CURLOPT_NOSIGNAL, 1)
        handle.set(CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue))
        handle.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        handle.set(CURLOPT_SSL_VERIFYPEER, 1)
        handle.set(CURLOPT_SSL_VERIFYHOST, 2)
        // The directory of the system's authorities stays the default, so this file is an addition.
        if let roots = job.trustRoots { handle.set(CURLOPT_CAINFO, roots) }
        handle.set(CURLOPT_TIMEOUT_MS, job.timeout)
        handle.set(CURLOPT_CONNECTTIMEOUT_MS, min(job.timeout, Self.connectTimeout))
        handle.set(CURLOPT_MAXAGE_CONN, SMTPWorker.idleSeconds)
        handle.set(CURLOPT_FRESH_CONNECT, isFresh ? 1 : 0)
        handle.set(CURLOPT_MAIL_FROM, job.sender)
        handle.set(CURLOPT_UPLOAD, 1)
        handle.set(CURLOPT_NOPROGRESS, 0)
        handle.set(CURLOPT_VERBOSE, 1)
        _ = ccurl_set_size(handle.pointer, CURLOPT_INFILESIZE_LARGE, curl_off_t(job.mail.count))
        guard let username = server.username, let secret = job.secret else { return }
        handle.set(CURLOPT_LOGIN_OPTIONS, server.loginOptions)
        handle.set(CURLOPT_USERNAME, username)
        handle.set(server.authentication == .xoauth2 ? CURLOPT_XOAUTH2_BEARER : CURLOPT_PASSWORD, secret)
    }

    private func setCallbacks() {
        _ = ccurl_on_read(handle.pointer) { buffer, size, count, context in
            guard let buffer, let exchange = SMTPExchange.from(context) else { return 0 }
            return exchange.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
        }
        _ = ccurl_on_debug(handle.pointer) { _, kind, text, count, context in
            guard let text, kind == CURLINFO_HEADER_IN || kind == CURLINFO_HEADER_OUT else { return 0 }
            let bytes = UnsafeRawBufferPointer(start: text, count: count)
            SMTPExchange.from(context)?.note(
                String(decoding: bytes, as: UTF8.self), isReply: kind == CURLINFO_HEADER_IN)
            return 0
        }
        // libcurl calls this at least once a second. Any other result than 0 ends the transfer.
        _ = ccurl_on_progress(handle.pointer) { _, _, _, _, _ in Task.isCancelled ? 1 : 0 }
        // Called after EHLO and AUTH, before MAIL.
        _ = ccurl_on_ready(handle.pointer) { context, _, _, _, _ in
            SMTPExchange.from(context)?.checkRequirements() == true ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
    }
}

/// A handle of libcurl with its open connections. One task uses it at a time.
final class CurlHandle {
    /// Initializes libcurl once. Without its own signal handlers, libcurl expects that SIGPIPE is ignored.
    private static let isUsable: Bool = {
        signal(SIGPIPE, SIG_IGN)
        return curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    }()

    let pointer: UnsafeMutableRawPointer
    /// The socket of the open connection.
    private var socket: curl_socket_t?

    /// Returns `nil` when memory is short, or libcurl fails to initialize.
    init?() {
        guard Self.isUsable, let pointer = curl_easy_init() else { return nil }
        self.pointer = pointer
    }

    /// Closes the connection. libcurl says QUIT and would wait two minutes for the reply, so nothing more is received.
    deinit {
        if let socket { _ = shutdown(socket, Int32(SHUT_RD)) }
        curl_easy_cleanup(pointer)
    }

    /// Removes all options. Connections stay open.
    func reset() {
        var active: curl_socket_t = -1
        let isOpen = ccurl_get_socket(pointer, &active) == CURLE_OK && active != -1
        socket = isOpen ? active : nil
        curl_easy_reset(pointer)
    }

    func set(_ option: CURLoption, _ value: Int) { _ = ccurl_set_number(pointer, option, value) }
    func set(_ option: CURLoption, _ value: String) { _ = ccurl_set_text(pointer, option, value) }

    func number(_ info: CURLINFO) -> Int {
        var value = 0
        return ccurl_get_number(pointer, info, &value) == CURLE_OK ? value : 0
    }
}

/// A list of texts for libcurl, which must exist until the transfer ends.
final class CurlList {
    private(set) var pointer: UnsafeMutablePointer<curl_slist>?

    init(_ texts: [String]) {
        for text in texts { pointer = curl_slist_append(pointer, text) }
    }

    deinit { curl_slist_free_all(pointer) }
}

/// What a mail server and this client have said so far. It keeps no credentials: of commands only the verb.
struct SMTPConversation: Sendable, Equatable {
    /// The command whose reply comes next.
    enum Step: String, Sendable, Equatable {
        case greeting, hello, startTLS, authentication, sender, recipient, data, content
    }

    struct Reply: Sendable, Equatable {
        let code: Int
        var text: String
    }

    private(set) var step = Step.greeting
    private(set) var lastReply: Reply?
    /// The final reply of each step.
    private(set) var replies: [Step: Reply] = [:]
    /// The names that the last EHLO reply announced, with their parameters (RFC 5321 §4.1.1.1).
    private(set) var extensions: [String: String] = [:]
    /// Whether the client has said goodbye. What follows says nothing about the mail.
    private var hasQuit = false
    /// Lines of a reply that is not complete.
    private var pending: [String] = []

    /// A server may send any number of lines of any length. Of more than these, nothing is kept.
    static let maximumLines = 100
    static let maximumLine = 500

    /// - Parameter extensions: Those of an open connection, which sends no EHLO again.
    init(extensions: [String: String] = [:]) { self.extensions = extensions }

    mutating func sent(_ command: String) {
        switch command.prefix(while: { !$0.isWhitespace }).uppercased() {
        case "EHLO", "HELO": (step, extensions) = (.hello, [:])
        case "STARTTLS": step = .startTLS
        case "AUTH": step = .authentication
        case "MAIL": step = .sender
        case "RCPT": step = .recipient
        case "DATA": step = .data
        case "QUIT": hasQuit = true
        // The answer to a challenge of AUTH.
        default: break
        }
    }

    mutating func received(_ line: String) {
        let line = line.trimmingCharacters(in: .newlines)
        guard !hasQuit, line.utf8.count >= 3, let code = Int(line.prefix(3)), (200...599).contains(code) else { return }
        if pending.count < Self.maximumLines { pending.append(String(line.dropFirst(4).prefix(Self.maximumLine))) }
        if line.dropFirst(3).first == "-" { return }
        let reply = Reply(code: code, text: ([String(code)] + pending).joined(separator: " "))
        if step == .hello, code == 250 {
            // The first line has the name of the server.
            for name in pending.dropFirst() {
                let words = name.split(separator: " ", maxSplits: 1).map(String.init)
                if let keyword = words.first { extensions[keyword.uppercased()] = words.count > 1 ? words[1] : "" }
            }
        }
        pending = []
        lastReply = reply
        replies[step] = reply
        if step == .data, code == 354 { step = .content }
    }
}

/// What a reply of 500 or more is about. The reply code alone does not say it: 550 after RCPT stands for an unknown mailbox
/// and for a rule about the client (RFC 5321 §4.2.3). The enhanced code does, if the server sends one (RFC 3463).
extension SMTPConversation.Reply {
    /// The subject and the detail of the enhanced code, such as `1.1` of `550 5.1.1 no such user`. `nil` without one.
    private var detail: String? {
        guard let word = text.split(separator: " ").dropFirst().first else { return nil }
        let parts = word.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "5" else { return nil }
        let numbers = parts.dropFirst().compactMap { part in
            (1...3).contains(part.utf8.count) && part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(part) : nil
        }
        return numbers.count == 2 ? "\(numbers[0]).\(numbers[1])" : nil
    }

    /// The mailbox or its domain does not exist, or takes no mail at all, whichever server brings it.
    ///
    /// Bad mailbox, system, syntax, moved mailbox, null MX (RFC 7505 §4.2), disabled mailbox.
    var saysUnknownRecipient: Bool {
        detail.map { ["1.1", "1.2", "1.3", "1.6", "1.10", "2.1"].contains($0) } ?? false
    }

    /// RFC 4954 §6: authentication is required, the credentials are invalid, or the mechanism is too weak.
    var wantsAuthentication: Bool {
        code == 530 || detail.map { ["7.8", "7.9"].contains($0) } == true
    }

    /// A bad address of the sender, or a rule about who may send mail, such as a denied relay (RFC 3463 §3.2, §3.8).
    var concernsSender: Bool {
        detail.map { ["1.7", "1.8"].contains($0) || $0.hasPrefix("7.") } ?? false
    }
}
