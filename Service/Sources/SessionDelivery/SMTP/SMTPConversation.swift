internal import Foundation
internal import SessionDomain

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
