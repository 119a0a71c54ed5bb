public import PreludeSession

#if canImport(Combine)
    public import Combine
#endif

/// The state of a session for SwiftUI before iOS 17 and macOS 14. Later systems have `SessionModel`, which does the same.
///
/// ```swift
/// @StateObject private var session = ObservableSessionModel(client: client)
/// ```
@MainActor
public final class ObservableSessionModel: ObservableObject {
    /// The current state. It changes with logins, refreshes and sign-outs of all copies of the client, and with `reload()`.
    public private(set) var state = SessionState.unknown {
        willSet { objectWillChange.send() }
    }

    private let client: PreludeSessionClient
    private let following = Following()

    /// Creates a model. It reads the session at once and then follows it.
    ///
    /// - Parameter client: The client of the session.
    public init(client: PreludeSessionClient) {
        self.client = client
        following.task = Task { [weak self] in
            for await state in await client.states { self?.take(state) }
        }
    }

    /// Reads the credentials again, and takes over what another process has changed. Call it when the app becomes active: then
    /// the device may be unlocked, and the app may have missed a change while it was suspended.
    public func reload() async { take(await client.reload()) }

    private func take(_ state: SessionState) {
        if self.state != state { self.state = state }
    }

    /// Cancels the task when the model is released. The model's own deinit is not isolated.
    private final class Following {
        var task: Task<Void, Never>?
        deinit { task?.cancel() }
    }
}
