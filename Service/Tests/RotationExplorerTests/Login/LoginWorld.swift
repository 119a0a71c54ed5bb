import SessionDomain

/// One state of a login: the service, two calls of the client with the same code, and the network.
struct LoginWorld {
    var row: PlayedLogins.Row
    var calls = [LoginCall(), LoginCall()]
    var network: [LoginRequest] = []
    /// The challenge that the client has accepted for the code.
    var accepted: String?
    /// The session that the client has stored.
    var stored: String?

    /// Equal for states that behave in the same way.
    var key: String {
        let requests = network.map(\.key).sorted().joined(separator: ",")
        let verification = row.verification.map { $0.isAnswered ? "answered" : "running \($0.checks)" } ?? "none"
        let sessions = row.sessions.map { "\($0.id) \($0.attempts.last ?? "")" }.joined(separator: ",")
        return [
            verification, row.redeemed.sorted().joined(separator: ","), sessions, row.user == nil ? "" : "user",
            requests,
            calls.map(\.key).joined(separator: ","), accepted ?? "", stored ?? "",
        ].joined(separator: "|")
    }
}

/// One call of `checkOTP`.
struct LoginCall {
    enum State: Hashable {
        case idle
        case waits(LoginRequest.Call)
    }

    var state = State.idle
    /// Whether a request may be sent once more, because its answer may be lost, or because its proof was used.
    var repetition = RepetitionState()
    /// How often the user has called.
    var calls = 0

    var key: String { "\(state) \(repetition.lost)\(repetition.replayed) \(calls)" }
}

/// What `LoginRepetition` has allowed so far.
struct RepetitionState {
    var lost = false, replayed = false
}

/// A request that was sent. The network delivers it at most twice, at any time.
struct LoginRequest {
    enum Call: Hashable {
        case check
        case finalize(String)
    }

    let call: Call
    /// The index of the call of the client.
    let sender: Int
    let attempt: UInt8
    /// Whether replay memory has its proof.
    var isSeen = false
    var deliveries = 0
    /// Whether the sender waits for the answer.
    var isAwaited = true
    var answer: LoginAnswer?

    var key: String {
        "\(call) \(isAwaited ? sender : 9) \(attempt) \(isSeen) \(deliveries) \(String(describing: answer))"
    }
}

enum LoginAnswer: Hashable {
    /// 200 with a challenge of this id.
    case challenge(String)
    /// 200 with this session.
    case session(String)
    /// 400 `invalid_dpop_proof`.
    case replayed
    /// Any definite error.
    case refused
}

/// One rule that the explorer breaks. Each of them must lead to a violation.
enum BrokenLoginRule: CaseIterable {
    /// A right code is accepted once.
    case spendsTheCode
    /// A challenge starts its session once, and the answer is not repeated.
    case startsOnlyOnce
    /// Each check of the right code gets a challenge of its own.
    case makesAChallengePerCheck
    /// The client has a new attempt id in each call.
    case makesAnAttemptPerCall
}
