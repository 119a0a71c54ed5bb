import Foundation
import HTTPTypes
import Hummingbird
import SessionDomain
import SessionWire
import Testing

@testable import SessionHTTP

@Suite("Errors as responses")
struct WireRefusalTests {
    @Test("The table has every refusal")
    func complete() {
        #expect(RefusalRow.all.map { RefusalRow.index(of: $0.refusal) } == Array(0..<51))
    }

    @Test("Every refusal has a status, a code and a type", arguments: RefusalRow.all)
    func mapping(_ row: RefusalRow) {
        let refusal = WireRefusal(row.refusal)
        #expect(refusal.status.code == row.status)
        #expect(refusal.code.rawValue == row.code)
        #expect(refusal.type == row.type)
        #expect(refusal.retryAfter == row.retryAfter)
        #expect(refusal.nonce == row.nonce)
        #expect(!refusal.message.isEmpty && refusal.message == row.refusal.message)
    }

    @Test("The service uses every error code of the wire, except the one that only the hosted product has")
    func codes() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let source = try String(
            contentsOf: root.appendingPathComponent("Sources/SessionWire/ErrorCode.swift"), encoding: .utf8)
        let codes = source.matches(of: /static let [a-zA-Z`]+: ErrorCode = "([a-z_]+)"/).map { String($0.1) }
        #expect(codes.count > 30)
        #expect(Set(codes).subtracting(RefusalRow.all.map(\.code)) == ["invalid_api_key"])
        #expect(Set(RefusalRow.all.map(\.code)).isSubset(of: codes))
    }

    @Test("A text of a refusal is the message")
    func texts() {
        #expect(WireRefusal(Refusal.invalidField("name", "is required")).message == "name is required")
        #expect(WireRefusal(Refusal.invalidStepToken("has expired")).message == "verification_token has expired")
        #expect(WireRefusal(Refusal.insufficientScope("a:b")).message == "the scope a:b is required")
        for refusal in [Refusal.notFound("t"), .conflict("t"), .forbidden("t"), .unavailable("t"), .noLoginConfig("t")]
        {
            #expect(WireRefusal(refusal).message == "t")
        }
    }

    @Test(
        "Errors of the HTTP layer have a status and a code",
        arguments: [
            (.notFound, 404, "not_found"), (.methodNotAllowed, 404, "not_found"),
            (.contentTooLarge, 413, "bad_request"), (.unsupportedMediaType, 415, "bad_request"),
            (.requestHeaderFieldsTooLarge, 431, "bad_request"), (.badRequest, 400, "bad_request"),
            (.unprocessableContent, 422, "bad_request"), (.internalServerError, 500, "internal"),
            (.badGateway, 500, "internal"), (.movedPermanently, 500, "internal"),
        ] as [(HTTPResponse.Status, Int, String)])
    func http(error: HTTPResponse.Status, status: Int, code: String) {
        let refusal = WireRefusal(HTTPError(error, message: "secret"))
        #expect(refusal.status.code == status)
        #expect(refusal.code.rawValue == code)
        #expect(!refusal.message.contains("secret"))
    }

    @Test("A store that has too many writers is busy for a second")
    func storeIsOverloaded() {
        let refusal = WireRefusal(StoreError.overloaded)
        #expect(refusal.status == .tooManyRequests && refusal.code == .rateLimited && refusal.retryAfter == 1)
    }

    @Test("Any other error is internal, and its text is not in the response")
    func unknown() {
        struct Leak: Error, CustomStringConvertible { let description = "secret" }
        let refusal = WireRefusal(Leak())
        #expect(
            refusal
                == WireRefusal(
                    status: .internalServerError, code: .internal,
                    message: "internal error; the log of the service contains the cause"))
        #expect(refusal.type == "internal_error")
    }
}
