import Foundation
import SessionDomain
import SessionHTTP
import SessionTokens

/// One claim in the form of the claims: its name, where its value comes from, and the value or key.
struct ClaimRow: Equatable {
    var name = ""
    var source = ClaimRow.text
    var value = ""
    var type = ""

    /// Sources beside those of `ClaimInput`.
    static let (text, json, profile) = ("text", "json", "profile")

    static let sources: [(value: String, label: String)] = [
        (text, "A fixed text"), (json, "Fixed JSON"), (profile, "A profile key"),
        (ClaimInput.userID.rawValue, "The user's id"), (ClaimInput.emails.rawValue, "The user's e-mail addresses"),
        (ClaimInput.phoneNumbers.rawValue, "The user's phone numbers"),
        (ClaimInput.countryCode.rawValue, "The client's country"),
        (ClaimInput.locales.rawValue, "The client's languages"), (ClaimInput.ip.rawValue, "The client's IP address"),
    ]

    static let types: [(value: String, label: String)] = [
        ("", "As it is"), (ClaimType.string.rawValue, "The first one, as a text"),
        (ClaimType.array.rawValue, "As a list"),
    ]

    init() {}

    init(_ name: String, _ stored: ClaimSource) {
        self.name = name
        switch stored {
        case .literal(.string(let text)) where Self.fits(text): value = text
        case .literal(let other): (source, value) = (Self.json, Self.written(other))
        case .customClaim(let key) where Self.fits(key): (source, value) = (Self.profile, key)
        case .customClaim(let key): (source, value) = (Self.json, Self.written(Self.reference(to: key)))
        case .input(let input, let type): (source, self.type) = (input.rawValue, type?.rawValue ?? "")
        }
    }

    /// Whether a field of one line keeps a text. It would lose line breaks; as JSON they are written as escapes.
    private static func fits(_ text: String) -> Bool { !text.utf8.contains { $0 == 0x0A || $0 == 0x0D } }

    private static func written(_ value: JSONValue) -> String {
        (try? TokenJSON.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// The value of the management API that stands for a profile key.
    private static func reference(to key: String) -> JSONValue { .object(["$custom_claim": .string(key)]) }

    /// What the claim contains, in words.
    var meaning: String {
        let label = Self.sources.first { $0.value == source }?.label ?? source
        let written = Self.types.first { $0.value == type && !type.isEmpty }.map { ", " + $0.label.lowercased() }
        return value.isEmpty ? label + (written ?? "") : "\(label): \(value)"
    }
}

// MARK: Reading

extension ClaimRow {
    static func field(_ row: Int, _ part: String) -> String { "claims.\(row).\(part)" }

    /// The claims of the app, sorted by name.
    static func rows(of config: ClaimsConfig?) -> [ClaimRow] {
        (config?.mapping ?? [:]).sorted { $0.key < $1.key }.map { ClaimRow($0.key, $0.value) }
    }

    /// The rows as they were entered, also empty ones.
    static func rows(in form: FormBody) -> [ClaimRow] {
        (0..<ClaimsConfig.maximumCount).prefix { form.text(field($0, "name")) != nil }.map { index in
            var row = ClaimRow()
            row.name = form.filled(field(index, "name")) ?? ""
            row.source = form.text(field(index, "source")) ?? text
            row.value = form.text(field(index, "value")) ?? ""
            row.type = form.text(field(index, "type")) ?? ""
            return row
        }
    }

    /// The mapping as the management API reads it. `ClaimsManagement` validates it.
    ///
    /// - Throws: `Refusal.invalidField` with the field of the row. A row without a name must be empty.
    static func mapping(_ rows: [ClaimRow]) throws(Refusal) -> [String: JSONValue] {
        var mapping: [String: JSONValue] = [:]
        for (index, row) in rows.enumerated() {
            guard !row.name.isEmpty else {
                guard row.value.isEmpty else { throw .invalidField(field(index, "name"), "is required") }
                continue
            }
            guard mapping[row.name] == nil else { throw .invalidField(field(index, "name"), "is used twice") }
            let value = try row.json(index)
            do {
                _ = try ClaimsManagement.sources([row.name: value])
            } catch {
                throw row.named(error, index)
            }
            mapping[row.name] = value
        }
        return mapping
    }

    /// The refusal of one claim, with the field of its row.
    private func named(_ refusal: Refusal, _ index: Int) -> Refusal {
        guard case .invalidField(let field, let problem) = refusal else { return refusal }
        let isAboutName =
            ClaimsConfig.reserved.contains(name) || name.utf8.count > ClaimsConfig.maximumNameSize
            || !ClaimsConfig.isOneLine(name)
        let part = isAboutName ? "name" : field.hasSuffix(".$type") ? "type" : "value"
        return .invalidField(Self.field(index, part), problem)
    }

    private func json(_ index: Int) throws(Refusal) -> JSONValue {
        guard let input = ClaimInput(rawValue: source) else {
            guard type.isEmpty else {
                throw .invalidField(Self.field(index, "type"), "is for values of the user and the client only")
            }
            switch source {
            case Self.text: return .string(value)
            case Self.profile:
                guard !value.isEmpty else { throw .invalidField(Self.field(index, "value"), "is required") }
                return Self.reference(to: value)
            case Self.json:
                guard let json = try? TokenJSON.decode(JSONValue.self, from: Data(value.utf8)) else {
                    throw .invalidField(Self.field(index, "value"), "must be JSON, such as 3, true or [1, 2]")
                }
                return json
            default: throw .invalidField(Self.field(index, "source"), "must be one of the list")
            }
        }
        guard value.isEmpty else {
            throw .invalidField(Self.field(index, "value"), "must be empty: the value comes from the source")
        }
        var members: [String: JSONValue] = ["$input": .string(input.rawValue)]
        if !type.isEmpty { members["$type"] = .string(type) }
        return .object(members)
    }
}
