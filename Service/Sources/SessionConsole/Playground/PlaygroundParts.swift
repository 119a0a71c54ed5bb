import SessionDomain

/// The parts of the playground's panels. Its forms are sent nowhere: the script does what they say.
extension PlaygroundPanels {
    /// A panel with the Swift of its steps.
    ///
    /// - Parameter state: The state of the script in which it is shown.
    static func card(
        _ title: String, in state: String, _ steps: [PlaygroundStep], @HTMLBuilder content: () -> HTML
    ) -> HTML {
        H.section(.class("card"), .data("data-state", state), .hidden) {
            H.h2 { title }
            content()
            H.p(.class("error"), .data("data-error", ""), .role("alert")) {}
            H.details {
                H.summary { "In Swift" }
                for step in steps {
                    H.p(.class("hint")) { step.title }
                    H.pre(.data("data-swift", step.rawValue), .data("data-title", step.title)) {
                        H.code { step.swift }
                    }
                }
            }
        }
    }

    static func form(
        _ id: String, submit: String, style: String = "primary", @HTMLBuilder content: () -> HTML
    ) -> HTML {
        H.form(.methodDialog, .id("play-" + id), .noValidate) {
            content()
            H.div(.class("actions")) { H.button(.type("submit"), .class(style)) { submit } }
        }
    }

    static func field(
        _ id: String, _ label: String, hint: String? = nil, type: String = "text", inputMode: String? = nil
    ) -> HTML {
        let id = "play-" + id
        return H.div(.class("field")) {
            H.label(.for(id)) { label }
            if let hint { H.p(.class("hint"), .id(id + "-hint")) { hint } }
            H.input(
                .type(type), .id(id), .autocomplete(type == "password" ? "new-password" : "off"), .spellcheckOff,
                inputMode.map { .inputMode($0) }, hint == nil ? nil : .aria(describedBy: id + "-hint"))
        }
    }

    static func button(_ id: String, _ title: String, _ style: String = "") -> HTML {
        H.button(.type("button"), .id("play-" + id), .class(style)) { title }
    }

    /// Fills in the code of the development mailbox, or opens it, if the script cannot read it. Nothing in production.
    static func take(_ id: String, _ visit: AppVisit, _ mailbox: String) -> HTML {
        if !mailbox.isEmpty { return button(id, "Take it from the mailbox") }
        guard visit.visit.mailbox != nil, visit.visit.isForAllApps else { return .empty }
        return H.a(.class("button"), .href(.mailbox), .targetBlank) { "Open the mailbox in a new tab" }
    }
}
