import Foundation
import HTTPTypes
import PreludeSession
import SessionWire

/// Carries the SDK's requests to the service in this process without a network, and fails where the test says so.
struct InProcessTransport: PreludeSessionTransport {
    let world: ServiceWorld
    let faults: TestService.Faults

    func send(_ request: HTTPRequest, body: Data?, timeout: TimeInterval) async throws -> (HTTPResponse, Data) {
        let path = String(request.path?.prefix { $0 != "?" } ?? "/")
        let isToService = "\(request.scheme ?? "https")://\(request.authority ?? "")" == world.origin
        let call = isToService ? TestService.Call(path: path) : nil
        let entry = world.log.add(TestService.SentRequest(call: call, method: request.method.rawValue, path: path))
        let answer = try await deliver(request, body: body, isToService: isToService, call: call)
        world.log.note(status: answer.0.status.code, at: entry)
        return answer
    }

    private func deliver(
        _ request: HTTPRequest, body: Data?, isToService: Bool, call: TestService.Call?
    ) async throws -> (HTTPResponse, Data) {
        func respond() async throws -> (HTTPResponse, Data) {
            isToService
                ? try await world.router.respond(to: request, body: body)
                : try await world.appBackend.respond(to: request, body: body)
        }
        switch faults.outcome(for: call) {
        case .goesThrough: return try await respond()
        case .offline, .fault(.dropRequest): throw PreludeSessionError.network(underlying: TestService.Disconnected())
        case .fault(.dropAnswer):
            _ = try await respond()
            throw PreludeSessionError.network(underlying: TestService.Disconnected())
        case .fault(.timeOut):
            _ = try await respond()
            throw PreludeSessionError.timeout
        case .fault(.answer(let status, let code)): return try refusal(status: status, code: code)
        case .held(let held):
            let answer = try await respond()
            await held.wait()
            return answer
        case .interrupted(let work):
            let answer = try await respond()
            try await work()
            return answer
        }
    }

    private func refusal(status: Int, code: String?) throws -> (HTTPResponse, Data) {
        let code = code.map(ErrorCode.init(rawValue:)) ?? Self.usualCode(of: status)
        let body = ErrorBody(code: code, type: "", message: "the test answered \(status)", requestID: nil)
        return (
            HTTPResponse(status: .init(code: status), headerFields: [.contentType: "application/json"]),
            try JSONEncoder().encode(body)
        )
    }

    private static func usualCode(of status: Int) -> ErrorCode {
        switch status {
        case 401: .unauthorized
        case 403: .forbidden
        case 404: .notFound
        case 409: .conflict
        case 429: .rateLimited
        case 500...: .internal
        default: .badRequest
        }
    }
}
