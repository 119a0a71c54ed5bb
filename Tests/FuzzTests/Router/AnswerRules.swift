import Foundation
import FuzzReaders
import HTTPTypes
import SessionTokens

/// What holds for every answer of the service, whatever was asked (docs/protocol.md, "Frontend API").
struct AnswerRules {
    /// What was sent and is nobody's business.
    let secrets: [String]
    let isManagement: Bool

    func check(_ head: HTTPResponse, _ body: Data) throws {
        try FuzzTarget.require((200..<500).contains(head.status.code), "the answer is \(head.status.code)")
        for name in ["x-request-id", "date", "cache-control", "x-content-type-options"] {
            let value = HTTPField.Name(name).flatMap { head.headerFields[$0] }
            try FuzzTarget.require(value?.isEmpty == false, "an answer without \(name)")
        }
        for field in head.headerFields {
            try FuzzTarget.require(field.value.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "a header is not text")
        }
        if head.status.kind == .successful {
            guard !body.isEmpty else { return }
            try FuzzTarget.require(Self.members(of: body) != nil, "what is answered is no object")
            if !isManagement { try keepsSecrets(body, head) }
        } else {
            try checkRefusal(head, body)
        }
    }

    private func checkRefusal(_ head: HTTPResponse, _ body: Data) throws {
        guard let members = Self.members(of: body), let code = members["code"]?.stringValue,
            let message = members["message"]?.stringValue
        else { throw FuzzTarget.Violation("a refusal is no error body: \(String(decoding: body, as: UTF8.self))") }
        if isManagement {
            try FuzzTarget.require(
                members["status"] == .int(Int64(head.status.code)) && members.count == 3, "not the body of a refusal")
        } else {
            let id = HTTPField.Name("x-request-id").flatMap { head.headerFields[$0] }
            try FuzzTarget.require(
                members["request_id"]?.stringValue == id && members["type"]?.stringValue?.isEmpty == false
                    && members.count == 4, "not the body of a refusal")
        }
        try FuzzTarget.require(head.headerFields[.contentType] == "application/json", "a refusal is no JSON")
        try FuzzTarget.require(code.wholeMatch(of: /[a-z_]{3,64}/) != nil, "no code: \(code)")
        try FuzzTarget.require((3...400).contains(message.utf8.count), "a message has no end: \(message)")
        try FuzzTarget.require(
            message.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "a message is not printable: \(message)")
        try keepsSecrets(body, head)
    }

    private func keepsSecrets(_ body: Data, _ head: HTTPResponse) throws {
        let text = String(decoding: body, as: UTF8.self) + head.headerFields.map(\.value).joined(separator: "\n")
        try FuzzTarget.require(!secrets.contains { text.contains($0) }, "a secret is repeated: \(text)")
    }

    private static func members(of body: Data) -> [String: JSONValue]? {
        try? TokenJSON.decode([String: JSONValue].self, from: body)
    }
}
