import SessionDomain
import SessionTokens

/// Shows values in the same way on all pages.
enum Format {
    /// Stands for a value that does not exist.
    static let none = H.span(.class("none")) { "none" }

    /// - Parameter missing: Stands for a time that does not exist.
    static func time(_ time: Timestamp?, or missing: String = "none") -> HTML {
        guard let time else { return H.span(.class("none")) { missing } }
        return H.time(.dateTime(time.rfc3339)) { text(of: time) }
    }

    /// A time in a sentence.
    static func text(of time: Timestamp) -> String {
        let text = time.rfc3339
        return text.prefix(10) + " " + text.dropFirst(11).prefix(5) + " UTC"
    }

    static func text(_ text: String?) -> HTML {
        guard let text, !text.isEmpty else { return none }
        return H.bdi { text }
    }

    static func code(_ text: String) -> HTML { H.span(.class("mono")) { text } }

    static func badge(_ text: String, _ style: String = "") -> HTML { H.span(.class("badge " + style)) { text } }

    static func status(_ status: User.Status) -> HTML {
        badge(status.rawValue, status == .active ? "good" : status == .suspended ? "bad" : "")
    }

    /// A duration in the largest unit that divides it, such as `30 days`.
    static func duration(_ seconds: Int) -> String {
        let units = [(86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second")]
        guard seconds > 0, let (size, name) = units.first(where: { seconds % $0.0 == 0 }) else { return "0 seconds" }
        return count(seconds / size, name)
    }

    /// The message of an error as a sentence.
    static func sentence(_ message: String) -> String {
        message.prefix(1).uppercased() + message.dropFirst() + (message.hasSuffix("?") ? "" : ".")
    }

    static func channel(_ channel: OTPLoginConfig.Channel) -> String { channel == .sms ? "SMS" : "e-mail" }

    static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    /// Pairs of a name and a value.
    static func values(_ pairs: KeyValuePairs<String, HTML>) -> HTML {
        H.dl(.class("values")) {
            for (name, value) in pairs {
                H.dt { name }
                H.dd { value }
            }
        }
    }

    /// One pair in a list of pairs.
    static func pair(_ name: String, _ value: String) -> HTML {
        HTML(joining: [H.dt { name }, H.dd { H.bdi { value } }])
    }

    /// Large figures with their names.
    static func figures(_ pairs: KeyValuePairs<String, Int>) -> HTML {
        H.dl(.class("figures")) {
            for (name, value) in pairs {
                H.div {
                    H.dt { name }
                    H.dd { String(value) }
                }
            }
        }
    }

    static func card(_ title: String, @HTMLBuilder content: () -> HTML) -> HTML {
        H.section(.class("card")) {
            H.h2 { title }
            content()
        }
    }

    /// What a page without rows says, with what to do next.
    static func empty(_ title: String, _ advice: String, _ link: HTML? = nil) -> HTML {
        H.div(.class("card")) {
            H.div(.class("empty")) {
                H.strong { title }
                H.p { advice }
                link
            }
        }
    }
}

/// Links that look like buttons.
enum Link {
    /// - Parameter label: Names the link where its text does not say what it changes, such as in a row of a table.
    static func button(_ title: String, _ path: ConsolePath, _ style: String = "", label: String? = nil) -> HTML {
        H.a(.class("button " + style), .href(path), label.map { .aria(label: $0) }) { title }
    }

    /// The link in the row of an operator or of a key to what they did.
    static func audit(of name: String, _ path: ConsolePath) -> HTML {
        H.a(.href(path), .aria(label: "Events caused by " + name)) { "Events" }
    }
}

/// Writes JSON for people: sorted members, one per line.
enum JSONText {
    static func pretty(_ value: JSONValue, indent: String = "") -> String {
        let deeper = indent + "  "
        switch value {
        case .object(let members) where !members.isEmpty:
            let lines = members.sorted { $0.key < $1.key }
                .map { "\(deeper)\(quoted($0.key)): \(pretty($0.value, indent: deeper))" }
            return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
        case .array(let values) where !values.isEmpty:
            let lines = values.map { deeper + pretty($0, indent: deeper) }
            return "[\n\(lines.joined(separator: ",\n"))\n\(indent)]"
        case .object: return "{}"
        case .array: return "[]"
        case .string(let text): return quoted(text)
        case .int(let number): return String(number)
        case .double(let number): return String(number)
        case .bool(let isTrue): return isTrue ? "true" : "false"
        case .null: return "null"
        }
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n") + "\""
    }
}
