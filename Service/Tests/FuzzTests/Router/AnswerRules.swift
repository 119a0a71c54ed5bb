import Foundation
import FuzzReaders
import HTTPTypes
import SessionTokens

/// The rules for every response of the service (docs/protocol.md, "Frontend API").
struct AnswerRules {
    /// Texts that no response of the frontend API and no error may contain.
    let secrets: [String]
    let isManagement: Bool

    func check(_ head: HTTPResponse, _ body: Data) throws {
        try FuzzTarget.require((200..<500).contains(head.status.code), "the status is \(head.status.code)")
        for name in ["x-request-id", "date", "cache-control", "x-content-type-options"] {
            let value = HTTPField.Name(name).flatMap { head.headerFields[$0] }
            try FuzzTarget.require(value?.isEmpty == false, "the response has no \(name)")
        }
        for field in head.headerFields {
            try FuzzTarget.require(
                field.value.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "a header is not printable")
        }
        if head.status.kind == .successful {
            guard !body.isEmpty else { return }
            let isJSON = head.headerFields[.contentType] == "application/json"
            try FuzzTarget.require(isJSON || !isManagement, "the body is not JSON")
            // The list of Android apps is the only array.
            try FuzzTarget.require(
                !isJSON || Self.members(of: body) != nil || body.first == UInt8(ascii: "["), "the body is not an object"
            )
            if !isManagement { try checkSecrets(body, head) }
        } else if head.status == .notModified {
            try FuzzTarget.require(body.isEmpty, "the response has no changes and a body")
        } else {
            try checkError(head, body)
        }
    }

    /// What some errors add.
    private static let optionalMembers: Set = ["field", "needs_new_code", "expected_htu"]

    private func checkError(_ head: HTTPResponse, _ body: Data) throws {
        guard let members = Self.members(of: body), let code = members["code"]?.stringValue,
            let message = members["message"]?.stringValue
        else { throw FuzzTarget.Violation("invalid error body: \(String(decoding: body, as: UTF8.self))") }
        let id = HTTPField.Name("x-request-id").flatMap { head.headerFields[$0] }
        if isManagement {
            try FuzzTarget.require(
                members["status"] == .int(Int64(head.status.code)) && members["request_id"]?.stringValue == id
                    && Set(members.keys).subtracting(Self.optionalMembers) == [
                        "code", "message", "request_id", "status",
                    ], "wrong members in the error body")
        } else {
            try FuzzTarget.require(
                members["request_id"]?.stringValue == id && members["type"]?.stringValue?.isEmpty == false
                    && Set(members.keys).subtracting(Self.optionalMembers) == [
                        "code", "message", "request_id", "type",
                    ], "wrong members in the error body")
        }
        try FuzzTarget.require(head.headerFields[.contentType] == "application/json", "the error body is not JSON")
        try FuzzTarget.require(code.wholeMatch(of: /[a-z_]{3,64}/) != nil, "invalid code: \(code)")
        try FuzzTarget.require((3...1000).contains(message.utf8.count), "the message is empty or too long: \(message)")
        try FuzzTarget.require(
            message.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "the message is not printable: \(message)")
        try checkSecrets(body, head)
    }

    private func checkSecrets(_ body: Data, _ head: HTTPResponse) throws {
        let text = String(decoding: body, as: UTF8.self) + head.headerFields.map(\.value).joined(separator: "\n")
        try FuzzTarget.require(!secrets.contains { text.contains($0) }, "the response contains a secret: \(text)")
    }

    private static func members(of body: Data) -> [String: JSONValue]? {
        try? TokenJSON.decode([String: JSONValue].self, from: body)
    }
}
