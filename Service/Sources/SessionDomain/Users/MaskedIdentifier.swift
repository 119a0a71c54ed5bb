extension CanonicalIdentifier {
    /// The identifier as events show it: enough to recognize one's own, too little to contact a stranger.
    ///
    /// Of an e-mail address the first character and the domain are shown, `m***@example.com`; of a phone number the first
    /// two and the last two digits, `+33•••••89`. An identifier that no user has is masked in the same way.
    package var masked: String {
        switch type {
        case .emailAddress:
            let parts = canonical.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let first = parts[0].first else { return "***" }
            // The number of stars says nothing about the length. One character alone would be the whole name.
            let domain = MailDomain.readable(String(parts[1])) ?? String(parts[1])
            return (parts[0].count > 1 ? String(first) : "") + "***@" + domain
        case .phoneNumber:
            guard canonical.count >= 8 else { return "+•••" }
            return canonical.prefix(3) + String(repeating: "•", count: canonical.count - 5) + canonical.suffix(2)
        }
    }
}
