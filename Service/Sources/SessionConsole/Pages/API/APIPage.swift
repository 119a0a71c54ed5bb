import SessionDomain

/// The description of both APIs in a readable form: a page with all calls, and one for each group of calls.
enum APIPage {
    static let title = "API"
    private static let searchField = "q"

    static func add(to routes: ConsoleRoutes) {
        routes.page("/api") { console in list(try APIDocument.served.get(), console.query.filled(searchField)) }
        routes.page("/api/:group") { console in
            let document = try APIDocument.served.get()
            guard let group = document.groups.first(where: { $0.slug == console.parameter("group") }) else {
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
            return Format.empty(
                "No call has these words", "Use fewer words, or show all calls.", Link.button("Show all", .api))
        }
        return H.section(.class("card")) {
            H.h2 { Format.count(found.count, "call") }
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

/// One call: who may make it, what it takes, and what it answers.
enum APICallView {
    static func html(_ call: APICall, _ document: APIDocument) -> HTML {
        H.section(.class("card call"), .id(call.id), .aria(labelledBy: call.id + "-title")) {
            H.h2(.id(call.id + "-title")) {
                H.a(.href(id: call.id)) { call.summary }
            }
            H.p {
                APIText.method(call.method)
                H.code(.class("path")) { call.path }
            }
            if !call.description.isEmpty { APIText.paragraphs(call.description) }
            credentials(call, document)
            if !call.parameters.isEmpty {
                H.h3 { "Parameters" }
                table(
                    "Parameters", call, ["Name", "In", "Type", "Description"], call.parameters.map { row($0, document) }
                )
            }
            if let body = call.body {
                H.h3 {
                    "Body "
                    H.span(.class("unit")) { body.name }
                }
                content(body.value, "Body", call, document)
            }
            for response in call.responses where (Int(response.name) ?? 0) < 400 {
                H.h3 { "Response " + response.name }
                H.p { APIText.inline(response.value["description"]?.text ?? "") }
                headers(response, call, document)
                for body in response.value["content"]?.members ?? [] {
                    content(body.value, "Response \(response.name)", call, document)
                }
            }
            errors(call)
            H.h3 { "With curl" }
            H.pre { H.code { call.curl(of: document) } }
        }
    }

    private static func credentials(_ call: APICall, _ document: APIDocument) -> HTML {
        H.div {
            H.h3 { "Credentials" }
            if call.security.isEmpty {
                H.p { "None: anyone may make this call." }
            } else {
                H.ul(.class("bullets")) {
                    for way in call.security {
                        H.li {
                            if way.isEmpty { "None." }
                            for name in way {
                                H.strong { name }
                                ": "
                                APIText.inline(document.securityScheme(name)?["description"]?.text ?? "")
                                " "
                            }
                        }
                    }
                }
                if call.security.count > 1 { H.p(.class("hint")) { "One of these is enough." } }
            }
        }
    }

    private static func row(_ parameter: YAMLValue, _ document: APIDocument) -> [HTML] {
        let schema = document.resolved(parameter["schema"] ?? .map([]))
        return [
            name(parameter["name"]?.text ?? "", isRequired: parameter["required"] == .bool(true)),
            HTML(escaping: parameter["in"]?.text ?? ""), HTML(escaping: APIMember.type(schema, document)),
            description(parameter["description"]?.text ?? "", APIMember.limits(schema)),
        ]
    }

    /// The members of a body, and its example.
    private static func content(_ value: YAMLValue, _ title: String, _ call: APICall, _ document: APIDocument) -> HTML {
        let schema = value["schema"] ?? .map([])
        let members = APIMember.all(of: schema, in: document)
        let resolved = document.resolved(schema)
        return HTML(
            joining: [
                resolved["description"]?.text.map { text in H.p { APIText.inline(text) } } ?? .empty,
                members.isEmpty
                    ? H.p(.class("hint")) { "Type: " + APIMember.type(resolved, document) }
                    : table(
                        "Members of " + title.lowercased(), call, ["Member", "Type", "Description"],
                        members.map { member in
                            [
                                name(member.name, isRequired: member.isRequired), HTML(escaping: member.type),
                                description(member.description, member.limits),
                            ]
                        }),
                value["example"].map { example in
                    H.details {
                        H.summary {
                            "Example"
                            H.span(.class("hidden")) { " of \(title.lowercased()) of \(call.id)" }
                        }
                        H.pre { H.code { example.json() } }
                    }
                } ?? .empty,
            ])
    }

    private static func headers(_ response: YAMLValue.Member, _ call: APICall, _ document: APIDocument) -> HTML {
        let headers = response.value["headers"]?.members ?? []
        guard !headers.isEmpty else { return .empty }
        return H.ul(.class("bullets")) {
            for header in headers {
                H.li {
                    H.code { header.name }
                    ": "
                    APIText.inline(document.resolved(header.value)["description"]?.text ?? "")
                }
            }
        }
    }

    private static func errors(_ call: APICall) -> HTML {
        let rows = call.responses.filter { (Int($0.name) ?? 0) >= 400 }.map { response in
            let example = response.value["content"]?.members.first?.value["example"]
            return [
                HTML(escaping: response.name), APIText.inline(response.value["description"]?.text ?? ""),
                example?["code"]?.text.map { code in H.code { code } } ?? Format.none,
            ]
        }
        return HTML(
            joining: [H.h3 { "Errors" }, table("Errors", call, ["Status", "Meaning", "Code, for example"], rows)])
    }

    private static func name(_ name: String, isRequired: Bool) -> HTML {
        HTML(joining: [H.code { name }, isRequired ? H.span(.class("needed")) { " required" } : .empty])
    }

    private static func description(_ text: String, _ limits: [String]) -> HTML {
        HTML(
            joining: [
                APIText.inline(text),
                limits.isEmpty ? .empty : H.span(.class("limits")) { APIText.inline(limits.joined(separator: "; ")) },
            ])
    }

    private static func table(_ title: String, _ call: APICall, _ columns: [String], _ rows: [[HTML]]) -> HTML {
        H.div(.class("scroll"), .role("region"), .aria(label: "\(title) of \(call.id)"), .tabIndex(0)) {
            H.table {
                H.caption(.class("hidden")) { "\(title) of \(call.id)" }
                H.thead { H.tr { for column in columns { H.th(.scope("col")) { column } } } }
                H.tbody {
                    for row in rows {
                        H.tr {
                            H.th(.scope("row")) { row[0] }
                            for cell in row.dropFirst() { H.td { cell } }
                        }
                    }
                }
            }
        }
    }
}

/// Texts of the description as HTML: paragraphs, lists, and code between backticks.
enum APIText {
    static func method(_ method: String) -> HTML { H.span(.class("badge method \(method.lowercased())")) { method } }

    static func inline(_ text: String) -> HTML {
        HTML(
            joining: text.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { index, part in
                index % 2 == 1 ? H.code { String(part) } : HTML(escaping: part)
            })
    }

    /// Paragraphs are separated by empty lines. Lines that begin with a dash are a list.
    static func paragraphs(_ text: String) -> HTML {
        HTML(
            joining: text.split(separator: "\n\n").map { paragraph in
                guard paragraph.hasPrefix("- ") else { return H.p { inline(joined(paragraph)) } }
                return H.ul(.class("bullets")) {
                    for item in ("\n" + paragraph).split(separator: "\n- ") {
                        H.li { inline(joined(item)) }
                    }
                }
            })
    }

    private static func joined(_ lines: some StringProtocol) -> String {
        lines.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
