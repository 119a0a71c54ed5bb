import SessionDomain

/// The description of both APIs in a readable form: a page with all calls, and one for each group of calls.
enum APIPage {
    static let title = "API"
    private static let searchField = "q"

    static func add(to routes: ConsoleRoutes) {
        routes.page("/api") { visit in list(try APIDocument.served.get(), visit.query.filled(searchField)) }
        routes.page("/api/:group") { visit in
            let document = try APIDocument.served.get()
            guard let group = document.groups.first(where: { $0.slug == visit.parameter("group") }) else {
                throw Refusal.notFound("the description of the API has no such group")
            }
            return page(group, document)
        }
    }

    private static func list(_ document: APIDocument, _ text: String?) -> Page {
        Page(title) {
            H.section(.class("card")) {
                H.form(.methodGet, .action(.api), .role("search"), .aria(label: "Calls")) {
                    H.div(.class("row")) {
                        H.div(.class("field")) {
                            H.label(.for("search")) { "Find a call" }
                            H.input(
                                .type("search"), .id("search"), .name(searchField), .value(text ?? ""),
                                .autocomplete("off"), .spellcheckOff, .aria(describedBy: "search-hint"))
                            H.p(.class("hint"), .id("search-hint")) { "Words of its path or description." }
                        }
                        H.div(.class("actions")) { H.button(.type("submit"), .class("primary")) { "Find" } }
                    }
                }
            }
            if let text {
                found(document.calls(matching: text), text, document)
            } else {
                H.section(.class("card")) {
                    APIText.paragraphs(document.introduction)
                    H.p(.class("hint")) {
                        "The same description for programs (OpenAPI 3.1): GET "
                        H.code { "/openapi.yaml" }
                        " at each address of the service."
                    }
                }
                for group in document.groups {
                    H.section(.class("card")) {
                        H.h2 { H.a(.href(ConsolePath.api / group.slug)) { group.name } }
                        H.p(.class("hint")) { group.description }
                        calls(group.calls, document)
                    }
                }
            }
        }
    }

    private static func found(_ found: [APICall], _ text: String, _ document: APIDocument) -> HTML {
        guard !found.isEmpty else {
            return Show.empty(
                "No call has these words", "Use fewer words, or show all calls.", Link.button("Show all", .api))
        }
        return H.section(.class("card")) {
            H.h2 { Show.count(found.count, "call") }
            calls(found, document)
            H.p { H.a(.href(.api)) { "Show all" } }
        }
    }

    private static func calls(_ calls: [APICall], _ document: APIDocument) -> HTML {
        H.ul(.class("calls")) {
            for call in calls {
                H.li {
                    H.a(.href(path(of: call, document), id: call.id)) { call.summary }
                    H.span {
                        APIText.method(call.method)
                        H.code { call.path }
                    }
                }
            }
        }
    }

    private static func path(of call: APICall, _ document: APIDocument) -> ConsolePath {
        ConsolePath.api / (document.groups.first { $0.name == call.tag }?.slug ?? "")
    }

    private static func page(_ group: APIDocument.Group, _ document: APIDocument) -> Page {
        Page(group.name, parent: (title, .api)) {
            H.p(.class("lead")) { group.description }
            H.nav(.class("card"), .aria(label: "Calls of this page")) {
                H.ul(.class("calls")) {
                    for call in group.calls {
                        H.li {
                            H.a(.href(id: call.id)) { call.summary }
                            H.span {
                                APIText.method(call.method)
                                H.code { call.path }
                            }
                        }
                    }
                }
            }
            H.p(.class("hint")) {
                "In the command lines, "
                H.code { "$URL" }
                " is the address of the service, and the other variables are credentials and ids."
            }
            for call in group.calls { APICallView.html(call, document) }
        }
    }
}
