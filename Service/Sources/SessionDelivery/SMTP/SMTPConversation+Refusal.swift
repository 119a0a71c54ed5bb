internal import SessionDomain

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
