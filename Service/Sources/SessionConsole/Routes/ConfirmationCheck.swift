import SessionDomain
import SessionHTTP

/// Decides whether a dangerous action may run now, and reads the proof that its operator has sent.
///
/// The page that asks for a proof sends it to the path of the action, with the fields of the first attempt, which are encrypted.
struct ConfirmationCheck: Sendable {
    enum Result {
        case proceed(FormBody)
        /// The operator has just proven who they are.
        case confirmed(ConsoleSession, FormBody)
        case ask(Page)
    }

    /// The encrypted fields of the action.
    static let pendingField = "confirm_form"
    static let keyField = "confirm_key"
    static let passwordField = "confirm_password"
    static let codeField = "confirm_code"
    static let verificationField = "confirm_verification"
    /// The name of the button that sends a code.
    static let sendField = "confirm_send"

    let console: ConsoleContext
    let path: String
    let caller: ConsoleCaller

    func result(of sent: FormBody, isDangerous: (FormBody) -> Bool) async throws -> Result {
        guard let pending = sent.text(Self.pendingField) else {
            guard isDangerous(sent), !console.session.isConfirmed(at: console.service.environment.now()) else {
                return .proceed(sent)
            }
            return .ask(try page(for: sent))
        }
        let sessions = console.service.consoleSessions
        guard let text = sessions.open(form: pending, of: console.session, for: path) else {
            throw Refusal.forbidden("the form belongs to another sign-in or action; repeat the change")
        }
        let form = try FormBody(text)
        if sent.text(Self.sendField) != nil { return .ask(try await codePage(for: form)) }
        let verification = sent.text(Self.verificationField)
        do {
            guard let confirmation = confirmation(sent) else {
                throw Refusal.invalidField(verification == nil ? "proof" : "code", "is required")
            }
            let session = try await sessions.confirm(
                console.session, of: console.principal, with: confirmation, from: caller.origin)
            return .confirmed(session, form)
        } catch let refusal as Refusal {
            return .ask(try page(for: form, verification: verification, refused: refusal))
        }
    }

    private func confirmation(_ sent: FormBody) -> OperatorConfirmation? {
        if let key = sent.filled(Self.keyField) { return .key(key) }
        if let code = sent.filled(Self.codeField), let verification = sent.text(Self.verificationField) {
            return .code(code, verification: verification)
        }
        return sent.text(Self.passwordField).flatMap { $0.isEmpty ? nil : .password($0) }
    }

    private func codePage(for form: FormBody) async throws -> Page {
        guard let person = console.principal.operator else {
            return try page(for: form, refused: .conflict("a management key gets no codes; enter the key"))
        }
        do {
            let verification = try await console.service.operatorLogin.sendCode(
                to: person.address, locales: caller.client.facts.locales, from: caller.origin)
            return try page(for: form, verification: verification)
        } catch let refusal as Refusal {
            return try page(for: form, refused: refusal)
        }
    }

    private func page(for form: FormBody, verification: String? = nil, refused: Refusal? = nil) throws -> Page {
        let sealed = try console.service.consoleSessions.seal(form: form.encoded, of: console.session, for: path)
        guard let action = ConsolePath(returning: path) else { throw Refusal.notFound("there is no such page") }
        return ConfirmIdentityPage(
            console: console, action: action, pending: sealed, verification: verification, refused: refused
        ).page
    }
}
