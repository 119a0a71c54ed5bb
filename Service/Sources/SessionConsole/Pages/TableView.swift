import SessionDomain

/// A table in a card. It scrolls to the side where it is too wide, also by keyboard. On a phone each row is a list of cells
/// with their labels: the roles say that it is still a table.
struct TableView {
    /// One row. The first cell names it.
    struct Row {
        let head: HTML
        let cells: [HTML]

        init(head: HTML, cells: [HTML]) { (self.head, self.cells) = (head, cells) }

        init(_ head: HTML, _ cells: HTML...) { self.init(head: head, cells: cells) }
    }

    /// - Parameters:
    ///   - title: The heading, and the name of the table for screen readers.
    ///   - action: A link beside the heading.
    static func html(
        _ title: String, showsTitle: Bool = true, columns: [String], _ rows: [Row], action: HTML? = nil
    ) -> HTML {
        H.section(.class("card table")) {
            if showsTitle {
                H.div(.class("card-head")) {
                    H.h2 { title }
                    action
                }
            }
            H.div(.class("scroll"), .role("region"), .aria(label: title), .tabIndex(0)) {
                H.table(.class("stack"), .role("table")) {
                    H.caption(.class("hidden")) { title }
                    H.thead(.role("rowgroup")) {
                        H.tr(.role("row")) {
                            for column in columns { H.th(.scope("col"), .role("columnheader")) { column } }
                        }
                    }
                    H.tbody(.role("rowgroup")) { for row in rows { html(row, columns) } }
                }
            }
        }
    }
}

extension TableView {
    private static func html(_ row: Row, _ columns: [String]) -> HTML {
        H.tr(.role("row")) {
            H.th(.scope("row"), .role("rowheader"), .data("data-label", columns.first ?? "")) { row.head }
            for (column, cell) in zip(columns.dropFirst(), row.cells) {
                H.td(.role("cell"), .data("data-label", column)) { cell }
            }
        }
    }
}

/// The part of a list that a page shows, with links to the parts before and after it.
struct Part {
    static let size = 25
    /// Further than any list, and far from the end of the numbers.
    private static let maximumOffset = 1_000_000_000

    let offset: Int

    init(_ query: FormBody) {
        offset = min(max(0, query.text("offset").flatMap { Int($0) } ?? 0), Self.maximumOffset)
    }

    /// - Throws: `Refusal.invalidField` for an offset that no list has.
    static func check(_ query: FormBody) throws(Refusal) {
        guard let text = query.filled("offset") else { return }
        guard let offset = Int(text), (0...maximumOffset).contains(offset) else {
            throw .invalidField("offset", "must be a number from 0 to \(maximumOffset)")
        }
    }

    /// - Parameter path: The path of the list with its filters.
    func links(total: Int, noun: String, path: (_ offset: String?) -> ConsolePath) -> HTML {
        H.nav(.class("pages"), .aria(label: "Parts of the list")) {
            H.span(.class("hint")) {
                total == 0
                    ? "No \(noun)s"
                    : "\(min(offset + 1, total)) to \(min(offset + Self.size, total)) of \(Format.count(total, noun))"
            }
            if offset > 0 {
                Link.button("Newer", path(offset > Self.size ? String(offset - Self.size) : nil), "small")
            }
            if offset + Self.size < total { Link.button("Older", path(String(offset + Self.size)), "small") }
        }
    }
}

/// A page that says what will happen before something is done that cannot be undone.
enum ConfirmPage {
    static func content(
        _ console: ConsoleContext, _ action: ConsolePath, for role: OperatorRole = .admin, consequences: [String],
        submit: String,
        back: ConsolePath,
        @HTMLBuilder fields: (FormView) -> HTML = { _ in .empty }
    ) -> HTML {
        H.section(.class("card")) {
            H.h2 { "What happens" }
            H.ul(.class("bullets")) { for consequence in consequences { H.li { consequence } } }
            if console.may(role) {
                FormView.form(
                    console, action, for: role, id: "confirm", submit: submit, style: "danger", content: fields)
                H.p { H.a(.href(back)) { "Cancel" } }
            } else {
                H.p { "You may look at this page, and not do this." }
            }
        }
    }
}

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
        _ name: String, _ label: String, _ example: String, _ console: ConsoleContext, suggestions: [String] = []
    ) -> HTML {
        let list = id(of: name) + "-list"
        return field(name, label, example) { hint in
            HTML(joining: [
                H.input(
                    .type("text"), .id(id(of: name)), .name(name), .value(console.query.text(name) ?? ""),
                    suggestions.isEmpty ? nil : .list(list), .autocomplete("off"), .spellcheckOff, hint),
                suggestions.isEmpty
                    ? .empty
                    : H.datalist(.id(list)) { for text in suggestions { H.option(.value(text)) { text } } },
            ])
        }
    }

    /// A time in UTC, down to the second.
    static func time(_ name: String, _ label: String, _ hint: String, _ console: ConsoleContext) -> HTML {
        field(name, label, hint) { hint in
            H.input(
                .type("datetime-local"), .step("1"), .id(id(of: name)), .name(name),
                .value(FieldTime.value(console.query.text(name) ?? "")), hint)
        }
    }

    /// - Parameter all: The choice that does not filter.
    static func choice(
        _ name: String, _ label: String, _ options: [String], all: String, hint: String, _ console: ConsoleContext
    ) -> HTML {
        field(name, label, hint) { hint in
            H.select(.id(id(of: name)), .name(name), hint) {
                H.option(.value("")) { all }
                for option in options {
                    H.option(.value(option), option == console.query.text(name) ? .selected : nil) { option }
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
