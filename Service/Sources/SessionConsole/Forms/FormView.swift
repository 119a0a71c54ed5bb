import SessionDomain

/// A form of the console, with the token of its session. For an operator who may not send it, it shows the values only.
struct FormView: Sendable {
    /// Prefixes the ids of the fields, so that two forms of a page have different ones.
    let id: String
    let canWrite: Bool
    /// Set if this form was refused.
    let problem: Problem?

    /// The field with `App.version` of the settings that the form replaces.
    static let versionField = "settings_version"

    /// - Parameters:
    ///   - role: The least role of an operator who may send it, as in the route.
    ///   - submit: The text of the button.
    ///   - style: The classes of the button.
    ///   - label: Names the button where its text does not say what it changes, such as in a row of a table.
    ///   - other: A second button with the name of its field, which is sent if this button is pressed.
    ///   - elsewhere: A second button, which sends the same fields to another address.
    ///   - app: Whose settings the form replaces, as the page has shown them. If they have changed meanwhile, the form is refused.
    ///     A page that is shown again after that keeps the old version: its fields have the old values.
    static func form(
        _ console: ConsoleContext, _ action: ConsolePath, for role: OperatorRole = .admin, id: String, submit: String,
        style: String = "primary", label: String? = nil, other: (name: String, text: String)? = nil,
        elsewhere: (title: String, action: ConsolePath)? = nil, replacing app: App? = nil,
        @HTMLBuilder content: (FormView) -> HTML = { _ in .empty }
    ) -> HTML {
        let problem = console.problem.flatMap { [action, elsewhere?.action].contains($0.action) ? $0 : nil }
        let view = FormView(id: id, canWrite: console.may(role), problem: problem)
        guard console.may(role) else { return H.dl(.class("values")) { content(view) } }
        return H.form(.methodPost, .action(action), .id(id), .noValidate) {
            H.input(.type("hidden"), .name(ConsoleContext.tokenField), .value(console.session.formToken))
            if let app { view.hidden(versionField, problem?.entered.text(versionField) ?? app.version) }
            content(view)
            H.div(.class("actions")) {
                H.button(.type("submit"), .class(style), label.map { .aria(label: $0) }) { submit }
                if let other { H.button(.type("submit"), .name(other.name), .value("on")) { other.text } }
                if let elsewhere { H.button(.type("submit"), .formAction(elsewhere.action)) { elsewhere.title } }
            }
        }
    }

    func id(of name: String) -> String { id + "-" + name.replacing(".", with: "-") }

    func text(
        _ name: String, _ label: String, _ value: String?, hint: String? = nil, type: String = "text",
        autocomplete: String = "off", isRequired: Bool = false
    ) -> HTML {
        field(name, label, shown: value ?? "", hint: hint) { described in
            H.input(
                .type(type), .id(id(of: name)), .name(name),
                // A password that was entered is never sent back.
                type == "password" ? nil : .value(problem?.entered.text(name) ?? value ?? ""),
                .autocomplete(autocomplete), .spellcheckOff, isRequired ? .required : nil, described,
                isInvalid(name) ? .ariaInvalid : nil)
        }
    }

    func number(_ name: String, _ label: String, _ value: Int?, isRequired: Bool = true, hint: String? = nil) -> HTML {
        let text = value.map(String.init) ?? ""
        return field(name, label, shown: text, hint: hint) { described in
            H.input(
                .type("text"), .inputMode("numeric"), .class("number"), .id(id(of: name)), .name(name),
                .value(problem?.entered.text(name) ?? text), .autocomplete("off"), isRequired ? .required : nil,
                described,
                isInvalid(name) ? .ariaInvalid : nil)
        }
    }

    func lines(_ name: String, _ label: String, _ values: [String], hint: String? = nil) -> HTML {
        field(name, label, shown: values.joined(separator: ", "), hint: hint) { described in
            H.textarea(
                .id(id(of: name)), .name(name), .rows(max(3, min(8, values.count + 1))), .spellcheckOff, described,
                isInvalid(name) ? .ariaInvalid : nil
            ) { (problem?.entered.text(name) ?? values.joined(separator: "\n")) }
        }
    }

    /// A text of several lines, which is shown as it is written.
    func area(_ name: String, _ label: String, _ value: String, hint: String? = nil) -> HTML {
        guard canWrite else { return HTML(joining: [H.dt { label }, H.dd { H.pre { H.bdi { value } } }]) }
        let text = problem?.entered.text(name) ?? value
        return field(name, label, shown: value, hint: hint) { described in
            H.textarea(
                .id(id(of: name)), .name(name), .rows(max(4, min(16, text.count { $0.isNewline } + 2))), .spellcheckOff,
                described, isInvalid(name) ? .ariaInvalid : nil
            ) { text }
        }
    }

    func choice(
        _ name: String, _ label: String, _ options: [(value: String, label: String)], selected: String,
        hint: String? = nil
    ) -> HTML {
        let chosen = problem?.entered.text(name) ?? selected
        // Otherwise a browser would choose the first one.
        let isKnown = options.contains { $0.value == chosen }
        let options = isKnown ? options : options + [(chosen, chosen)]
        let shown = options.first { $0.value == selected }?.label ?? selected
        return field(name, label, shown: shown, hint: hint) { described in
            H.select(.id(id(of: name)), .name(name), described, isInvalid(name) ? .ariaInvalid : nil) {
                for option in options {
                    H.option(.value(option.value), option.value == chosen ? .selected : nil) { option.label }
                }
            }
        }
    }

    func checkbox(
        _ name: String, _ label: String, _ isOn: Bool, value: String = "on", hint: String? = nil,
        id given: String? = nil
    ) -> HTML {
        guard canWrite else { return shown(label, isOn ? "Yes" : "No") }
        let isChecked = problem.map { $0.entered.texts(name).contains(value) } ?? isOn
        let id = given ?? id(of: name)
        return H.div(.class("field checkbox")) {
            H.input(
                .type("checkbox"), .id(id), .name(name), .value(value), isChecked ? .checked : nil,
                hint == nil ? nil : .aria(describedBy: id + "-hint"))
            H.div {
                H.label(.for(id)) { label }
                if let hint { H.p(.class("hint"), .id(id + "-hint")) { hint } }
            }
        }
    }

    func hidden(_ name: String, _ value: String) -> HTML {
        canWrite ? H.input(.type("hidden"), .name(name), .value(value)) : .empty
    }

    /// Fields that belong together, under a name.
    func group(_ name: String, @HTMLBuilder content: () -> HTML) -> HTML {
        guard canWrite else { return content() }
        return H.fieldset {
            H.legend { name }
            content()
        }
    }

    private func field(
        _ name: String, _ label: String, shown value: String, hint: String?, control: (Attribute?) -> HTML
    ) -> HTML {
        guard canWrite else { return shown(label, value) }
        let (hintID, errorID) = (id(of: name) + "-hint", id(of: name) + "-error")
        let error = problem?.field == name ? problem?.message(label: label) : nil
        let descriptions = [error == nil ? nil : errorID, hint == nil ? nil : hintID].compactMap(\.self)
        return H.div(.class(error == nil ? "field" : "field invalid")) {
            H.label(.for(id(of: name))) { label }
            if let hint { H.p(.class("hint"), .id(hintID)) { hint } }
            if let error { H.p(.class("error"), .id(errorID)) { error } }
            control(descriptions.isEmpty ? nil : .aria(describedBy: descriptions.joined(separator: " ")))
        }
    }

    private func isInvalid(_ name: String) -> Bool { problem?.field == name }

    private func shown(_ label: String, _ value: String) -> HTML {
        HTML(joining: [H.dt { label }, H.dd { value.isEmpty ? Format.none : H.bdi { value } }])
    }
}
