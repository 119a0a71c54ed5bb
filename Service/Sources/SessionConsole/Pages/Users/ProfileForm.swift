import Foundation
import SessionDomain
import SessionTokens

/// The profile of a user: its values, and a form that sets one of them without a change of its type.
enum ProfileForm {
    /// What an entered value is.
    private enum Kind: String, CaseIterable {
        /// The type of the stored value. A new value is a text.
        case stored, text, json

        var title: String {
            switch self {
            case .stored: "As the value that is stored; a new one is a text"
            case .text: "Text"
            case .json: "Number, yes or no, JSON"
            }
        }
    }

    static func html(_ user: User, _ path: ConsolePath, _ visit: AppVisit) -> HTML {
        Show.card("Profile") {
            if user.profile.isEmpty {
                H.p(.class("hint")) { "The profile is empty. Its values can be mapped to claims of access tokens." }
            } else {
                H.dl(.class("values")) {
                    for (key, value) in user.profile.sorted(by: { $0.key < $1.key }) {
                        H.dt { H.bdi { key } }
                        H.dd {
                            H.bdi { value.stringValue.map { HTML(escaping: $0) } ?? Show.code(JSONText.pretty(value)) }
                        }
                    }
                }
            }
            if visit.visit.canSupport {
                FormView.form(
                    visit.visit, path / "profile", for: .support, id: "profile", submit: "Save the value", style: ""
                ) { form in
                    form.text("key", "Name of the value", nil, isRequired: true)
                    form.choice(
                        "kind", "Kind of the value", Kind.allCases.map { ($0.rawValue, $0.title) },
                        selected: Kind.stored.rawValue, hint: "Yes is true, and no is false.")
                    form.text("value", "Value", nil, hint: "Empty removes the value.")
                }
            }
        }
    }

    /// The value of the form, for the key that it names. An empty one is null, which removes the key.
    static func value(_ form: FormBody, replacing stored: JSONValue?) throws(Refusal) -> JSONValue {
        guard let entered = form.text("value"), !entered.isEmpty else { return .null }
        let kind: Kind = try form.text("kind") == nil ? .stored : form.choice("kind", Kind.allCases)
        let isText = kind == .text || kind == .stored && (stored == nil || stored?.stringValue != nil)
        if isText { return .string(entered) }
        guard let json = try? TokenJSON.decode(JSONValue.self, from: Data(entered.utf8)) else {
            throw .invalidField("value", "must be JSON, such as 3, true or [1, 2]")
        }
        guard json != .null else { throw .invalidField("value", "must not be null; leave it empty to remove it") }
        if kind == .stored, let stored, !hasSameType(json, stored) {
            throw .invalidField("value", "must have the type of the stored value; or choose another kind")
        }
        return json
    }

    private static func hasSameType(_ first: JSONValue, _ second: JSONValue) -> Bool {
        switch (first, second) {
        case (.bool, .bool), (.int, .int), (.int, .double), (.double, .int), (.double, .double), (.array, .array),
            (.object, .object):
            true
        default: false
        }
    }
}
