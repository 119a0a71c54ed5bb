/// A change of a client's session.
public enum SessionEvent: Sendable, Hashable {
    /// A login succeeded.
    case signedIn(PreludeProfile)
    /// There is a new access token. Its claims may have changed.
    case refreshed(PreludeProfile)
    /// The credentials were deleted on this device.
    case signedOut(PreludeSignOutReason)
}

/// Why a session ended on this device. New versions may add reasons.
public struct PreludeSignOutReason: RawRepresentable, Sendable, Hashable {
    /// The reason as one word, for logs.
    public let rawValue: String
    /// Creates a reason from its word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// `logout()` was called.
    public static let logout = PreludeSignOutReason(rawValue: "logout")
    /// `revokeSessions(_:)` included this session.
    public static let revokedHere = PreludeSignOutReason(rawValue: "revoked_here")
    /// The service rejected a refresh: the session was revoked elsewhere or has expired.
    public static let ended = PreludeSignOutReason(rawValue: "ended")
    /// The account is suspended or closed. Another login does not help: the user must contact the app's support.
    public static let suspended = PreludeSignOutReason(rawValue: "suspended")
    /// Another client of the same credential store signed out.
    public static let anotherClient = PreludeSignOutReason(rawValue: "another_client")
    /// The device key is lost, or the session is bound to another key.
    public static let deviceKeyLost = PreludeSignOutReason(rawValue: "device_key_lost")

    /// What the reason is for the other clients of the store: a user who signs out in one has done so in all.
    var inAnotherClient: Self { self == .logout || self == .revokedHere ? .anotherClient : self }
}

/// What is known of a session, for a user interface: `client.states` and `SessionModel`.
public enum SessionState: Sendable {
    /// The credentials were not read yet. Show what the launch screen shows: it takes a moment only.
    case unknown
    /// The credentials cannot be read before the device is unlocked. A user may be signed in: do not show the login yet.
    case locked
    /// No user is signed in.
    ///
    /// The reason why the last session ended on this device, also after a relaunch; `nil` if there was none since the app was
    /// installed.
    case signedOut(PreludeSignOutReason?)
    /// A user is signed in, also offline.
    case signedIn(PreludeProfile)
    /// The credentials cannot be read, and an unlock does not change it: a damaged record, a missing entitlement, a failing disk.
    /// Show the login, and the message of the error. A login replaces what cannot be read; if the app can read it again, call
    /// `reload()`.
    case failed(PreludeSessionError)
}

extension SessionState: Equatable {
    /// Compares two states. Errors are equal if their descriptions are.
    public static func == (left: SessionState, right: SessionState) -> Bool {
        switch (left, right) {
        case (.unknown, .unknown), (.locked, .locked): true
        case (.signedOut(let left), .signedOut(let right)): left == right
        case (.signedIn(let left), .signedIn(let right)): left == right
        case (.failed(let left), .failed(let right)): String(describing: left) == String(describing: right)
        default: false
        }
    }
}

extension PreludeSessionClient {
    /// The events of the session from now on: signed in, refreshed, signed out with the reason.
    ///
    /// Each call returns a new stream. A stream buffers 64 events and then drops the oldest. It ends when its task is
    /// cancelled.
    public var events: AsyncStream<SessionEvent> { get async { await engine.events() } }

    /// The state of the session: first the current one, then each that follows.
    ///
    /// Each call returns a new stream. A stream keeps the newest state only, so a slow reader skips older ones. It ends when its
    /// task is cancelled.
    ///
    /// On Apple's systems it has what other processes change, while this one runs, if they share the store:
    /// <doc:AppGroupsAndExtensions>. `reload()` finds the rest.
    public var states: AsyncStream<SessionState> { get async { await engine.states() } }

    /// Reads the credentials again, and takes over what another process has changed. Call it when the app becomes active: a
    /// process that was suspended may have missed a change.
    ///
    /// Without a change it emits nothing. A session that is known stays known if the credentials cannot be read now.
    ///
    /// - Returns: The state of the session, which `states` has, too.
    @discardableResult
    public func reload() async -> SessionState { await engine.reload() }
}

/// The streams that receive the events, or the states, of a session.
struct EventStreams<Element: Sendable> {
    /// How many elements a stream buffers. When it is full, the oldest one is dropped.
    let buffer: Int

    private var continuations: [Int: AsyncStream<Element>.Continuation] = [:]
    private var next = 0

    init(buffer: Int) { self.buffer = buffer }

    /// - Parameter onEnd: Called when the stream ends, with the number for `remove(_:)`.
    mutating func add(onEnd: @escaping @Sendable (Int) -> Void) -> AsyncStream<Element> {
        let number = next
        next += 1
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: .bufferingNewest(buffer))
        continuation.onTermination = { _ in onEnd(number) }
        continuations[number] = continuation
        return stream
    }

    /// Adds a stream that begins with an element.
    mutating func add(beginningWith first: Element, onEnd: @escaping @Sendable (Int) -> Void) -> AsyncStream<Element> {
        let stream = add(onEnd: onEnd)
        continuations[next - 1]?.yield(first)
        return stream
    }

    mutating func remove(_ number: Int) { continuations[number] = nil }

    func send(_ element: Element) {
        for continuation in continuations.values { continuation.yield(element) }
    }

    var count: Int { continuations.count }
}
