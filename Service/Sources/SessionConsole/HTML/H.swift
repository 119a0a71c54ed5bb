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
