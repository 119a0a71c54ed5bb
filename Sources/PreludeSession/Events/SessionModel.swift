public import Observation

/// The state of a session for a user interface, for SwiftUI and other observers.
///
/// ```swift
/// @State private var session = SessionModel(client: client)
///
/// switch session.state {
/// case .unknown, .locked: LaunchView()
/// case .signedOut, .failed: LoginView(client: client)
/// case .signedIn(let profile): HomeView(userID: profile.userID)
/// }
/// ```
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, macCatalyst 17, *)
@MainActor @Observable
public final class SessionModel {
    /// The current state. It changes with logins, refreshes and sign-outs of all copies of the client, and with `reload()`.
    public private(set) var state = SessionState.unknown

    @ObservationIgnored private let client: PreludeSessionClient
    @ObservationIgnored private let following = Following()

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
