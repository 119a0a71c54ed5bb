import SessionDomain
import SessionHTTP

/// Asks an operator for a proof of who they are, before a dangerous action continues.
struct ConfirmIdentityPage {
    let console: ConsoleContext
    /// The path of the action.
    let action: ConsolePath
    /// The encrypted fields of the action.
    let pending: String
    /// Set if a code was sent.
    let verification: String?
    let refused: Refusal?

    var page: Page {
        var page = Page("Confirm that it is you") {
            H.section(.class("card")) {
                H.p {
                    "This action needs a confirmation that is at most "
                        + Format.duration(ConsoleSession.confirmationLifetime) + " old. Then it continues at once."
                }
                if let error { H.p(.class("error"), .id("confirm-error"), .role("alert")) { error } }
                proof
                H.p { H.a(.href(.home)) { "Cancel" } }
            }
        }
        if let refused {
            let answer = WireRefusal(refused)
            (page.status, page.retryAfter) = (answer.status, answer.retryAfter)
        }
        return page
    }

    private var proof: HTML {
        guard let person = console.principal.operator else {
            return form("Confirm") {
                field(ConfirmationCheck.keyField, "Management key", type: "password", "The key of this sign-in.")
            }
        }
        if let verification {
            return HTML(joining: [
                form("Confirm") {
                    H.input(
                        .type("hidden"), .name(ConfirmationCheck.verificationField), .value(verification))
                    field(
                        ConfirmationCheck.codeField, "Code", type: "text", "It was sent to \(person.name).",
                        isCode: true)
                }, sending("Send another code"),
            ])
        }
        guard person.user.hasPassword else { return sending("Send me a code by e-mail", style: "primary") }
        return HTML(joining: [
            form("Confirm") {
                field(ConfirmationCheck.passwordField, "Password", type: "password", "The password of \(person.name).")
            }, sending("Send me a code instead"),
        ])
    }

    private var error: String? {
        switch refused {
        case nil: nil
        case .invalidField: "Enter the proof that this page asks for."
        case .unauthorized: "That is not correct."
        case .badCode: "The code is not correct."
        case .spentCode, .invalidVerificationToken: "This code is no longer valid. Ask for another one."
        case let refused?: Format.sentence(WireRefusal(refused).message)
        }
    }

    private func sending(_ submit: String, style: String = "") -> HTML {
        form(submit, style: style) { H.input(.type("hidden"), .name(ConfirmationCheck.sendField), .value("code")) }
    }

    private func form(_ submit: String, style: String = "primary", @HTMLBuilder content: () -> HTML) -> HTML {
        H.form(.methodPost, .action(action), .noValidate) {
            H.input(.type("hidden"), .name(ConsoleContext.tokenField), .value(console.session.formToken))
            H.input(.type("hidden"), .name(ConfirmationCheck.pendingField), .value(pending))
            content()
            H.div(.class("actions")) { H.button(.type("submit"), .class(style)) { submit } }
        }
    }

    private func field(_ name: String, _ label: String, type: String, _ hint: String, isCode: Bool = false) -> HTML {
        H.div(.class("field")) {
            H.label(.for("confirm")) { label }
            H.p(.class("hint"), .id("confirm-hint")) { hint }
            H.input(
                .type(type), .id("confirm"), .name(name), .required, isCode ? .inputMode("numeric") : nil,
                .autocomplete(isCode ? "one-time-code" : "current-password"), .spellcheckOff,
                .aria(describedBy: error == nil ? "confirm-hint" : "confirm-error confirm-hint"),
                error == nil ? nil : .ariaInvalid)
        }
    }
}
