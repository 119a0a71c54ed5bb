import HTTPTypes
import SessionDomain
import SessionHTTP

/// Why a form was refused: shown at the top of its page, and at the field.
struct Problem: Sendable {
    /// The path that the form was sent to. A page can have several forms.
    private(set) var action: ConsolePath
    /// The fields as they were entered.
    let entered: FormBody
    let field: String?
    let status: HTTPResponse.Status
    /// Seconds after which a form that was limited can succeed.
    let retryAfter: Int?
    private let text: String

    init(_ refusal: Refusal, of form: FormBody, to action: ConsolePath) {
        let wire = WireRefusal(refusal)
        self.action = action
        entered = form
        field = wire.field
        status = wire.status
        retryAfter = wire.retryAfter
        // In the management API these numbers are nanoseconds. The form has seconds.
        text = wire.message.replacing(", in nanoseconds", with: "")
    }

    /// The same problem, in a form with the same fields and another path.
    func moved(to action: ConsolePath) -> Problem {
        var moved = self
        moved.action = action
        return moved
    }

    /// The message. It begins with the label of the field instead of its name.
    func message(label: String?) -> String {
        guard let label, let field, text.hasPrefix(field + " ") else { return Format.sentence(text) }
        return Format.sentence(label + text.dropFirst(field.count))
    }
}
