/// An identifier that a session registered is held for a time: it opens nothing else. A hijacked session could otherwise
/// register its own phone, and pass the step-ups of other scopes with it (OWASP ASVS 5.0 §7.5.1).
extension User {
    /// Whether this identifier is held.
    package func isHeld(_ identifier: CanonicalIdentifier, at now: Timestamp) -> Bool {
        heldUntil[identifier].map { now < $0 } ?? false
    }

    /// Whether any identifier is held.
    package func hasHeldIdentifier(at now: Timestamp) -> Bool { identifiers.contains { isHeld($0, at: now) } }

    /// The identifiers that are not held, in the order in which they were added. Rules of scopes apply to them, and codes
    /// of step-ups go to them.
    package func establishedIdentifiers(at now: Timestamp) -> [CanonicalIdentifier] {
        identifiers.filter { !isHeld($0, at: now) }
    }
}
