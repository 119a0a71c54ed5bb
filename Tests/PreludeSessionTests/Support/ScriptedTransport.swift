import Foundation
import HTTPTypes
import PreludeSession

/// A transport that records requests and returns scripted responses. Each path has its own queue.
actor ScriptedTransport: PreludeSessionTransport {
    /// A sent request.
    struct Sent: Sendable {
        let path: String
        /// With its question mark; empty without one.
        let query: String
        let headers: [String: String]
        let body: [String: PreludeJSONValue]
        /// The claims of the DPoP proof; `nil` without one.
        let proof: [String: PreludeJSONValue]?

        func text(_ member: String) -> String? { body[member]?.stringValue }
    }

    enum Answer: Sendable {
        case success(_ json: String = "", headers: [String: String] = [:])
        case errorResponse(_ status: Int, _ code: String, headers: [String: String] = [:])
        /// An error response with further members.
        case errorBody(_ status: Int, _ json: String)
        /// A response that is not the service's, such as a proxy's.
        case proxyResponse(_ status: Int, headers: [String: String] = [:])
        case offline
        case timeout
        /// The transport throws its own error.
        case failure(any Error)
        /// Waits for the gate and then returns the response.
        indirect case held(Gate, Answer)
        /// Runs the work and then returns the response.
        indirect case after(@Sendable () async throws -> Void, Answer)
    }

    struct Disconnected: Error {}

    private var script: [String: [Answer]] = [:]
    private(set) var sent: [Sent] = []
    private var waiting: [(path: String, count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    /// Appends responses for a path such as `/refresh`, relative to `/v1/session`.
    func answer(_ path: String, _ answers: Answer...) { script["/v1/session" + path, default: []] += answers }

    func requests(_ path: String) -> [Sent] { sent.filter { $0.path == "/v1/session" + path } }
    func count(_ path: String) -> Int { requests(path).count }

    /// Waits until that many requests for a path were sent.
    func arrival(of path: String, count: Int = 1) async {
        guard self.count(path) < count else { return }
        await withCheckedContinuation { waiting.append((path, count, $0)) }
    }

    func send(_ request: HTTPRequest, body: Data?, timeout: TimeInterval) async throws -> (HTTPResponse, Data) {
        let path = String(request.path?.prefix { $0 != "?" } ?? "")
        record(request, path: path, body: body)
        guard var answers = script[path], !answers.isEmpty else {
            throw PreludeSessionError.generic(code: "unscripted", message: .init(path))
        }
        let answer = answers.removeFirst()
        script[path] = answers
        return try await deliver(answer)
    }

    private func record(_ request: HTTPRequest, path: String, body: Data?) {
        var headers: [String: String] = [:]
        for field in request.headerFields { headers[field.name.canonicalName] = field.value }
        let json = body.flatMap { try? JSONDecoder().decode([String: PreludeJSONValue].self, from: $0) }
        let query = String(request.path?.drop { $0 != "?" } ?? "")
        sent.append(
            Sent(
                path: path, query: query, headers: headers, body: json ?? [:],
                proof: headers["dpop"].flatMap(TestToken.claims)))
        for waiter in waiting where requestCount(waiter.path) >= waiter.count { waiter.continuation.resume() }
        waiting.removeAll { requestCount($0.path) >= $0.count }
    }

    private func requestCount(_ path: String) -> Int { count(path) }

    private func deliver(_ answer: Answer) async throws -> (HTTPResponse, Data) {
        switch answer {
        case .success(let json, let headers): return response(json.isEmpty ? 204 : 200, json, headers)
        case .errorResponse(let status, let code, let headers):
            return response(status, #"{"code":"\#(code)","message":"refused"}"#, headers)
        case .errorBody(let status, let json): return response(status, json, [:])
        case .proxyResponse(let status, let headers): return response(status, "<html>", headers)
        case .offline: throw PreludeSessionError.network(underlying: Disconnected())
        case .timeout: throw PreludeSessionError.timeout
        case .failure(let error): throw error
        case .held(let gate, let answer):
            await gate.wait()
            return try await deliver(answer)
        case .after(let work, let answer):
            try await work()
            return try await deliver(answer)
        }
    }

    private func response(_ status: Int, _ json: String, _ headers: [String: String]) -> (HTTPResponse, Data) {
        var fields = HTTPFields()
        for (name, value) in headers { if let name = HTTPField.Name(name) { fields[name] = value } }
        return (HTTPResponse(status: .init(code: status), headerFields: fields), Data(json.utf8))
    }
}

/// Suspends its callers until it is opened.
actor Gate {
    private(set) var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func wait() async {
        if !isOpen { await withCheckedContinuation { waiting.append($0) } }
    }

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}
