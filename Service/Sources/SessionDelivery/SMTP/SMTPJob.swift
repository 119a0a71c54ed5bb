internal import SessionDomain

/// One mail for one recipient, ready for the server.
struct SMTPJob: Sendable {
    let server: SMTPServer
    let secret: String?
    /// The checked addresses of the server, the preferred one first.
    let addresses: [String]
    /// The path of a PEM file with authorities that are trusted in addition to the system's.
    let trustRoots: String?
    let sender: String
    let recipient: String
    let mail: [UInt8]
    /// Milliseconds for the transfer.
    let timeout: Int

    /// Whether an address needs SMTPUTF8 (RFC 6531). Domains are ASCII already.
    var needsSMTPUTF8: Bool { (sender + recipient).utf8.contains { $0 >= 0x80 } }

    /// Returns why a server with these extensions cannot take the mail, or `nil`.
    func unmetRequirement(_ extensions: [String: String]) -> SMTPProblem? {
        if server.username != nil {
            let offered = (extensions["AUTH"] ?? "").uppercased().split(separator: " ").map(String.init)
            guard server.mechanisms.contains(where: offered.contains) else {
                return .noMechanism(offered: offered, wanted: server.mechanisms)
            }
        }
        if needsSMTPUTF8, extensions["SMTPUTF8"] == nil { return .noSMTPUTF8 }
        return nil
    }
}
