/// An e-mail address with an optional name, as a sender is configured: `login@example.com` or
/// `Example <login@example.com>` (RFC 5322 §3.4).
package struct MailAddress: Sendable, Equatable {
    package let name: String?
    /// The part before the `@`.
    package let localPart: String
    package let domain: String

    /// The address without the name.
    package var address: String { "\(localPart)@\(domain)" }

    /// Returns `nil` for text that is no address, and for a name with control characters or line breaks.
    package init?(_ text: String) {
        guard text.unicodeScalars.allSatisfy({ !$0.breaksHeader }) else { return nil }
        var (name, address) = ("", Substring(text))
        if let open = text.lastIndex(of: "<") {
            guard text.last == ">" else { return nil }
            name = Self.trimmed(text[..<open])
            address = text[text.index(after: open)...].dropLast()
        }
        if name.count >= 2, name.first == "\"", name.last == "\"" { name = String(name.dropFirst().dropLast()) }
        guard !name.contains(where: { "<>\"\\".contains($0) }),
            let checked = try? CanonicalIdentifier(
                type: IdentifierType.emailAddress.rawValue, value: Self.trimmed(address)),
            let at = checked.value.lastIndex(of: "@")
        else { return nil }
        self.name = name.isEmpty ? nil : name
        localPart = String(checked.value[..<at])
        domain = String(checked.value[checked.value.index(after: at)...])
    }

    /// The sender of a mail: what a login names if the route sends it, else the route's own.
    ///
    /// - Parameters:
    ///   - senderID: Earlier versions stored any text.
    ///   - domains: The service's own route sends from these and its own domain only: no app speaks for another one. `nil`: an
    ///     app's own route, which sends what its server accepts.
    package static func sender(
        _ senderID: String?, onRouteFrom own: MailAddress, domains: Set<String>?
    ) -> MailAddress {
        guard let wanted = senderID.flatMap(MailAddress.init) else { return own }
        let domain = wanted.domain.lowercased()
        guard let domains, domain != own.domain.lowercased(), !domains.contains(domain) else { return wanted }
        return own
    }

    /// Returns the domain that a text names, in lower case. `nil`: it names none that mail can be sent from.
    package static func domain(_ text: String) -> String? {
        guard let address = MailAddress("a@" + text), address.localPart == "a" else { return nil }
        return address.domain.lowercased()
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}

extension Unicode.Scalar {
    /// Whether the scalar can end a header or a command, or change how it is shown: controls and line separators.
    package var breaksHeader: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: false
        }
    }
}
