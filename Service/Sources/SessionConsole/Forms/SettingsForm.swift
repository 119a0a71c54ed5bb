import SessionDomain
import SessionHTTP
import SessionTokens

/// The form of a group of settings, as its schema describes it.
enum SettingsForm<Group: SettingsRecord> {
    /// - Parameter hidden: The names of fields that are not shown.
    static func content(_ form: FormView, _ group: Group, without hidden: Set<String> = []) -> HTML {
        let values = Group.schema.json(group)
        return HTML(
            joining: Group.schema.sections.map { section in
                let fields = HTML(
                    joining: section.fields.filter { !hidden.contains($0.name) }.map { field in
                        control(
                            form, field.name, field.label + (field.unit.map { ", in \($0.rawValue)" } ?? ""),
                            field.control,
                            hint: hint(of: field, values[field.name]), values[field.name])
                    })
                return section.title.map { title in form.group(title) { fields } } ?? fields
            })
    }

    /// `60 to 600. Now 10 minutes.`
    private static func hint(of field: SettingsField<Group>, _ value: JSONValue?) -> String? {
        guard case .number = field.control else { return field.hint }
        let range = field.range.map { text in
            // The label has the unit.
            let bare = field.unit.map { text.replacing(" " + $0.rawValue, with: "") } ?? text
            return Group.schema.fields.reduce(bare) { text, other in
                text.replacing(other.name, with: "the value of \u{201C}\(other.label)\u{201D}")
            } + "."
        }
        let now = field.unit == .seconds ? value?.wholeNumber.map { "Now \(Format.duration($0))." } : nil
        return [range, field.hint, now].compactMap(\.self).joined(separator: " ")
    }

    private static func control(
        _ form: FormView, _ name: String, _ label: String, _ control: SettingControl, hint: String?, _ value: JSONValue?
    ) -> HTML {
        switch control {
        case .number(let isRequired):
            return form.number(name, label, value?.wholeNumber, isRequired: isRequired, hint: hint)
        case .flag: return form.checkbox(name, label, value == .bool(true), hint: hint)
        case .text(let isRequired):
            return form.text(name, label, value?.stringValue, hint: hint, isRequired: isRequired)
        case .lines: return form.lines(name, label, value?.texts ?? [], hint: hint)
        case .choice(let words):
            return form.choice(
                name, label, words.map { ($0.value, $0.label) },
                selected: value?.stringValue ?? words.first?.value ?? "", hint: hint)
        case .rate:
            let fields = HTML(joining: [
                form.number(name + ".limit", label, value?.member("limit")?.wholeNumber, hint: hint),
                form.number(name + ".window", label + ": in how many seconds", value?.member("window")?.wholeNumber),
            ])
            return form.canWrite ? H.div(.class("row")) { fields } : fields
        case .group(let parts, _):
            return HTML(
                joining: parts.map { part in
                    self.control(
                        form, part.name, part.label, part.control, hint: part.hint,
                        value?.member(String(part.name.dropFirst(name.count + 1))))
                })
        }
    }

    /// The settings of a form that was sent. They are not checked yet. A setting that the form does not have keeps its value,
    /// but a box counts as one that is not checked.
    ///
    /// - Throws: `Refusal.invalidField` with the name of the field.
    static func read(_ form: FormBody, replacing stored: Group) throws(Refusal) -> Group {
        var members: [String: JSONValue] = [:]
        let values = Group.schema.json(stored)
        for field in Group.schema.fields {
            members[field.name] =
                isMissing(field, in: form) ? values[field.name] : try value(form, field.name, field.control)
        }
        return try stored.replaced(by: members)
    }

    private static func isMissing(_ field: SettingsField<Group>, in form: FormBody) -> Bool {
        switch field.control {
        // Browsers leave out a box that is not checked.
        case .flag: false
        case .rate: form.text(field.name + ".limit") == nil && form.text(field.name + ".window") == nil
        case .group(let parts, _): parts.first.map { form.text($0.name) == nil } ?? true
        default: form.text(field.name) == nil
        }
    }

    private static func value(_ form: FormBody, _ name: String, _ control: SettingControl) throws(Refusal) -> JSONValue?
    {
        switch control {
        case .number(isRequired: true): return .int(Int64(try form.number(name)))
        case .number: return try form.numberIfFilled(name).map { .int(Int64($0)) }
        case .flag: return .bool(form.isChecked(name))
        case .text(let isRequired):
            return form.filled(name).map(JSONValue.string) ?? (isRequired ? .string("") : nil)
        case .lines: return .array(form.lines(name).map(JSONValue.string))
        case .choice: return .string(form.text(name) ?? "")
        case .rate:
            return .object([
                "limit": .int(Int64(try form.number(name + ".limit"))),
                "window": .int(Int64(try form.number(name + ".window"))),
            ])
        case .group(let parts, let isOptional):
            // The first part says whether an optional group is there.
            if isOptional, parts.first.flatMap({ form.filled($0.name) }) == nil { return nil }
            var members: [String: JSONValue] = [:]
            for part in parts {
                members[String(part.name.dropFirst(name.count + 1))] = try value(form, part.name, part.control)
            }
            return .object(members)
        }
    }
}

extension JSONValue {
    fileprivate var wholeNumber: Int? { if case .int(let value) = self { Int(exactly: value) } else { nil } }

    fileprivate var texts: [String] {
        if case .array(let elements) = self { elements.compactMap(\.stringValue) } else { [] }
    }

    fileprivate func member(_ name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }
}
