import SessionDomain

/// A form whose fields become the query of its page, so that a filtered page has an address of its own.
enum FilterForm {
    /// - Parameter label: Names the form for screen readers.
    static func html(_ path: ConsolePath, label: String, @HTMLBuilder fields: () -> HTML) -> HTML {
        H.section(.class("card")) {
            H.form(.methodGet, .action(path), .role("search"), .aria(label: label)) {
                H.div(.class("row")) {
                    fields()
                    H.div(.class("actions")) { H.button(.type("submit"), .class("primary")) { "Filter" } }
                }
            }
        }
    }

    /// - Parameter suggestions: Texts that the browser offers.
    static func text(
        _ name: String, _ label: String, _ example: String, _ visit: Visit, suggestions: [String] = []
    ) -> HTML {
        let list = id(of: name) + "-list"
        return field(name, label, example) { hint in
            HTML(joining: [
                H.input(
                    .type("text"), .id(id(of: name)), .name(name), .value(visit.query.text(name) ?? ""),
                    suggestions.isEmpty ? nil : .list(list), .autocomplete("off"), .spellcheckOff, hint),
                suggestions.isEmpty
                    ? .empty
                    : H.datalist(.id(list)) { for text in suggestions { H.option(.value(text)) { text } } },
            ])
        }
    }

    /// A time in UTC, down to the second.
    static func time(_ name: String, _ label: String, _ hint: String, _ visit: Visit) -> HTML {
        field(name, label, hint) { hint in
            H.input(
                .type("datetime-local"), .step("1"), .id(id(of: name)), .name(name),
                .value(FieldTime.value(visit.query.text(name) ?? "")), hint)
        }
    }

    /// - Parameter all: The choice that does not filter.
    static func choice(
        _ name: String, _ label: String, _ options: [String], all: String, hint: String, _ visit: Visit
    ) -> HTML {
        field(name, label, hint) { hint in
            H.select(.id(id(of: name)), .name(name), hint) {
                H.option(.value("")) { all }
                for option in options {
                    H.option(.value(option), option == visit.query.text(name) ? .selected : nil) { option }
                }
            }
        }
    }

    private static func id(of name: String) -> String { "filter-" + name }

    private static func field(
        _ name: String, _ label: String, _ hint: String, _ input: (_ hint: Attribute) -> HTML
    ) -> HTML {
        H.div(.class("field")) {
            H.label(.for(id(of: name))) { label }
            input(.aria(describedBy: id(of: name) + "-hint"))
            H.p(.class("hint"), .id(id(of: name) + "-hint")) { hint }
        }
    }
}
