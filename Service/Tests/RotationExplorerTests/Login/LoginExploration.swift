import Foundation
import HTTPTypes
import SessionDomain
import SessionWire

@testable import PreludeSession

/// A breadth-first search through all states of a login.
final class LoginExploration {
    enum Violation: String {
        case fails = "A call without faults does not sign in"
        case ghost = "The service has two sessions of one login, or one that the client does not get"
    }

    private let service: PlayedLogins
    private let broken: BrokenLoginRule?
    private(set) var states = 0
    private(set) var violation: (rule: Violation, trace: [String])?

    /// How often the user calls in each of the two calls, at most.
    private static let maximumCalls = 2

    init(depth: Int, breaking broken: BrokenLoginRule? = nil) async throws {
        self.broken = broken
        service = try PlayedLogins(breaking: broken)
        let first = LoginWorld(row: try service.firstRow())
        var known: Set<String> = [first.key]
        var level: [(world: LoginWorld, trace: [String])] = [(first, [])]
        for _ in 0..<depth where violation == nil {
            var next: [(world: LoginWorld, trace: [String])] = []
            for (index, node) in level.enumerated() {
                if index.isMultiple(of: 64) { await Task.yield() }
                for (step, world) in steps(from: node.world)
                where violation == nil && known.insert(world.key).inserted {
                    let trace = node.trace + [step]
                    next.append((world, trace))
                    if let rule = rule(violatedBy: world) { violation = (rule, trace) }
                }
            }
            level = next
        }
        states = known.count
    }

    private func steps(from world: LoginWorld) -> [(String, LoginWorld)] {
        var steps: [(String, LoginWorld)] = []
        for index in world.calls.indices where world.calls[index].state == .idle {
            guard world.calls[index].calls < Self.maximumCalls else { continue }
            var next = world
            begin(index, &next)
            steps.append(("call \(index) begins", next))
        }
        for index in world.network.indices {
            let request = world.network[index]
            var delivered = world
            deliver(index, &delivered)
            steps.append(("the service receives \(request.key)", delivered))
            guard request.isAwaited else { continue }
            if let answer = request.answer {
                var received = world
                receive(answer, of: index, &received)
                steps.append(("call \(request.sender) receives \(answer)", received))
            }
            var lost = world
            abandon(index, &lost)
            repeatOrEnd(request, after: Self.connectionLost, &lost)
            steps.append(("call \(request.sender) loses its connection", lost))
        }
        return steps
    }

    private static let connectionLost = PreludeSessionError.network(underlying: URLError(.networkConnectionLost))

    private func begin(_ index: Int, _ world: inout LoginWorld) {
        world.calls[index].calls += 1
        send(world.accepted.map { .finalize($0) } ?? .check, index, &world)
    }

    /// Sends the first request of its kind.
    private func send(_ call: LoginRequest.Call, _ index: Int, _ world: inout LoginWorld) {
        world.calls[index].repetition = RepetitionState()
        transmit(call, index, &world)
    }

    private func transmit(_ call: LoginRequest.Call, _ index: Int, _ world: inout LoginWorld) {
        world.calls[index].state = .waits(call)
        let attempt = broken == .makesAnAttemptPerCall ? UInt8(1 + index * 4 + world.calls[index].calls) : 0
        world.network.append(LoginRequest(call: call, sender: index, attempt: attempt))
    }

    private func deliver(_ index: Int, _ world: inout LoginWorld) {
        let reply = service.reply(to: world.network[index], world.row)
        world.row = reply.row
        if reply.remembersProof { world.network[index].isSeen = true }
        world.network[index].deliveries += 1
        if world.network[index].isAwaited { world.network[index].answer = reply.answer }
        dropIfDone(index, &world)
    }

    private func receive(_ answer: LoginAnswer, of index: Int, _ world: inout LoginWorld) {
        let request = world.network[index]
        abandon(index, &world)
        switch answer {
        case .challenge(let id):
            world.accepted = id
            send(.finalize(id), request.sender, &world)
        case .session(let id):
            world.stored = id
            world.calls[request.sender].state = .idle
        case .replayed: repeatOrEnd(request, after: refusal(400, .invalidDPoPProof), &world)
        case .refused: world.calls[request.sender].state = .idle
        }
    }

    /// The SDK decides whether the request is sent once more.
    private func repeatOrEnd(_ request: LoginRequest, after error: any Error, _ world: inout LoginWorld) {
        var (repetition, state) = (LoginRepetition(), world.calls[request.sender].repetition)
        if state.lost { _ = repetition.isAllowed(after: Self.connectionLost) }
        if state.replayed { _ = repetition.isAllowed(after: refusal(400, .invalidDPoPProof)) }
        guard repetition.isAllowed(after: error) else {
            world.calls[request.sender].state = .idle
            return
        }
        if error is ErrorResponse { state.replayed = true } else { state.lost = true }
        world.calls[request.sender].repetition = state
        transmit(request.call, request.sender, &world)
    }

    /// The sender no longer waits. The request may still arrive.
    private func abandon(_ index: Int, _ world: inout LoginWorld) {
        world.network[index].isAwaited = false
        world.network[index].answer = nil
        dropIfDone(index, &world)
    }

    private func dropIfDone(_ index: Int, _ world: inout LoginWorld) {
        let request = world.network[index]
        if !request.isAwaited, request.deliveries > 1 { world.network.remove(at: index) }
    }

    private func rule(violatedBy world: LoginWorld) -> Violation? {
        guard world.row.sessions.count < 2 else { return .ghost }
        guard world.stored == nil else { return world.stored == world.row.sessions.first?.id ? nil : .ghost }
        // All else stops, and the user calls once more.
        var last = world
        last.network = []
        last.calls = [LoginCall()]
        begin(0, &last)
        while let index = last.network.firstIndex(where: \.isAwaited) {
            deliver(index, &last)
            guard let answer = last.network[index].answer else { break }
            receive(answer, of: index, &last)
        }
        if last.row.sessions.count > 1 { return .ghost }
        return last.stored == nil ? .fails : nil
    }

    private func refusal(_ status: Int, _ code: ErrorCode) -> ErrorResponse {
        let body = Data(#"{"code":"\#(code.rawValue)","type":"","message":"","request_id":"req_1"}"#.utf8)
        return ErrorResponse(
            APIResponse(status: status, fields: [:], body: body), now: Date(timeIntervalSince1970: 1_800_000_000))
    }
}
