/// The elements that pages use.
enum H {
    static let html = Element("html")
    static let head = Element("head")
    static let title = Element("title")
    static let body = Element("body")
    static let header = Element("header")
    static let nav = Element("nav")
    static let main = Element("main")
    static let footer = Element("footer")
    static let section = Element("section")
    static let div = Element("div")
    static let span = Element("span")
    static let h1 = Element("h1")
    static let h2 = Element("h2")
    static let h3 = Element("h3")
    static let p = Element("p")
    static let a = Element("a")
    static let strong = Element("strong")
    static let code = Element("code")
    static let pre = Element("pre")
    /// A text of a user, whose direction of writing does not change the text around it.
    static let bdi = Element("bdi")
    static let time = Element("time")
    static let ul = Element("ul")
    static let ol = Element("ol")
    static let li = Element("li")
    static let dl = Element("dl")
    static let dt = Element("dt")
    static let dd = Element("dd")
    static let table = Element("table")
    static let caption = Element("caption")
    static let thead = Element("thead")
    static let tbody = Element("tbody")
    static let tr = Element("tr")
    static let th = Element("th")
    static let td = Element("td")
    static let form = Element("form")
    static let fieldset = Element("fieldset")
    static let legend = Element("legend")
    static let label = Element("label")
    static let select = Element("select")
    static let option = Element("option")
    static let datalist = Element("datalist")
    static let textarea = Element("textarea")
    static let button = Element("button")
    static let details = Element("details")
    static let summary = Element("summary")
    static let iframe = Element("iframe")
    static let script = Element("script")
    /// Shown by browsers without JavaScript.
    static let noscript = Element("noscript")
    static let svg = Element("svg")
    static let path = Element("path")

    static func input(_ attributes: Attribute?...) -> HTML { .void("input", attributes.compactMap(\.self)) }
    static func meta(_ attributes: Attribute...) -> HTML { .void("meta", attributes) }
    static func link(_ attributes: Attribute...) -> HTML { .void("link", attributes) }

    /// An element that has content.
    struct Element: Sendable {
        private let name: StaticString

        fileprivate init(_ name: StaticString) { self.name = name }

        func callAsFunction(_ attributes: Attribute?..., @HTMLBuilder content: () -> HTML) -> HTML {
            .element(name, attributes.compactMap(\.self), content())
        }
    }
}

/// An attribute of an element. Addresses are paths of the console, never texts, and scripts are files of the console.
struct Attribute: Sendable {
    let name: StaticString
    /// `nil`: the attribute has no value, such as `required`.
    let value: String?

    private init(_ name: StaticString, _ value: String?) {
        self.name = name
        self.value = value
    }

    static func `class`(_ names: String) -> Attribute { Attribute("class", names) }
    static func id(_ id: String) -> Attribute { Attribute("id", id) }
    static func href(_ path: ConsolePath) -> Attribute { Attribute("href", path.text) }
    /// A place on another page.
    static func href(_ path: ConsolePath, id: String) -> Attribute { Attribute("href", path.text + "#" + id) }
    /// A place on the same page.
    static func href(id: String) -> Attribute { Attribute("href", "#" + id) }
    static func src(_ path: ConsolePath) -> Attribute { Attribute("src", path.text) }
    static func action(_ path: ConsolePath) -> Attribute { Attribute("action", path.text) }
    /// Where a button sends its form, instead of to the address of the form.
    static func formAction(_ path: ConsolePath) -> Attribute { Attribute("formaction", path.text) }
    static func name(_ name: String) -> Attribute { Attribute("name", name) }
    static func value(_ value: String) -> Attribute { Attribute("value", value) }
    static func type(_ type: String) -> Attribute { Attribute("type", type) }
    static func `for`(_ id: String) -> Attribute { Attribute("for", id) }
    static func role(_ role: String) -> Attribute { Attribute("role", role) }
    static func aria(label: String) -> Attribute { Attribute("aria-label", label) }
    static func aria(labelledBy id: String) -> Attribute { Attribute("aria-labelledby", id) }
    static func aria(describedBy ids: String) -> Attribute { Attribute("aria-describedby", ids) }
    static func aria(current: String) -> Attribute { Attribute("aria-current", current) }
    static let ariaInvalid = Attribute("aria-invalid", "true")
    static let ariaHidden = Attribute("aria-hidden", "true")
    static func autocomplete(_ kind: String) -> Attribute { Attribute("autocomplete", kind) }
    static func dateTime(_ time: String) -> Attribute { Attribute("datetime", time) }
    /// The id of the element with suggestions for a field.
    static func list(_ id: String) -> Attribute { Attribute("list", id) }
    /// The unit of a field with a number or a time, in seconds for a time.
    static func step(_ step: String) -> Attribute { Attribute("step", step) }
    static func rows(_ count: Int) -> Attribute { Attribute("rows", String(count)) }
    static func scope(_ scope: String) -> Attribute { Attribute("scope", scope) }
    static func tabIndex(_ index: Int) -> Attribute { Attribute("tabindex", String(index)) }
    static func inputMode(_ mode: String) -> Attribute { Attribute("inputmode", mode) }
    static func content(_ content: String) -> Attribute { Attribute("content", content) }
    static func charset(_ charset: String) -> Attribute { Attribute("charset", charset) }
    static func rel(_ rel: String) -> Attribute { Attribute("rel", rel) }
    static func title(_ title: String) -> Attribute { Attribute("title", title) }
    static func lang(_ language: String) -> Attribute { Attribute("lang", language) }
    static let methodPost = Attribute("method", "post")
    static let methodGet = Attribute("method", "get")
    /// Sends the form nowhere, as it is in no dialog. A script handles it.
    static let methodDialog = Attribute("method", "dialog")
    /// Opens a new tab, so that this page stays as it is.
    static let targetBlank = Attribute("target", "_blank")
    static let hidden = Attribute("hidden", nil)
    /// A value for the script of the page.
    static func data(_ name: StaticString, _ value: String) -> Attribute { Attribute(name, value) }
    static let required = Attribute("required", nil)
    static let checked = Attribute("checked", nil)
    static let selected = Attribute("selected", nil)
    /// The form has no messages of the browser: the service's own name each field, and are the same everywhere.
    static let noValidate = Attribute("novalidate", nil)
    /// A frame whose page can run nothing, send nothing and leave nothing.
    static let sandbox = Attribute("sandbox", "")
    static let spellcheckOff = Attribute("spellcheck", "false")
}

// Scripts and graphs.
extension Attribute {
    /// Where a script reads the newer content of this element.
    static func liveSource(_ path: ConsolePath) -> Attribute { Attribute("data-live-source", path.text) }
    /// The process that made the content.
    static func liveNode(_ node: String) -> Attribute { Attribute("data-live-node", node) }
    /// The name of a part whose content a script replaces.
    static func live(_ name: String) -> Attribute { Attribute("data-live", name) }
    static func viewBox(width: Int, height: Int) -> Attribute { Attribute("viewBox", "0 0 \(width) \(height)") }
    /// The picture fills its element, whatever the proportions of the element are.
    static let stretched = Attribute("preserveAspectRatio", "none")
    static func path(_ commands: String) -> Attribute { Attribute("d", commands) }
}
