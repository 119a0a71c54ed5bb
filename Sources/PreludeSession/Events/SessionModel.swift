public import Observation

/// The state of a session for a user interface, for SwiftUI and other observers.
///
/// ```swift
/// @State private var session = SessionModel(client: client)
///
/// switch session.state {
/// case .unknown: ProgressView()
/// case .signedOut(let reason): LoginView(reason: reason)
/// case .signedIn(let profile): HomeView(userID: profile.userID)
/// }
/// ```
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, macCatalyst 17, *)
@MainActor @Observable
public final class SessionModel {
    /// The state of the session.
    public enum State: Sendable, Hashable {
        /// Not read yet, or not readable now, for example on a locked device. Do not show the login screen yet.
        case unknown
        /// No user is signed in. The reason is set if the session ended while this model existed.
        case signedOut(SignOutReason?)
        /// A user is signed in, also offline.
        case signedIn(PreludeProfile)
    }

    /// The current state. It changes with logins, refreshes and sign-outs of all copies of the client.
    public private(set) var state = State.unknown

    @ObservationIgnored private let client: PreludeSessionClient
    @ObservationIgnored private let following = Following()

    /// Creates a model. It reads the session at once and then follows it.
    ///
    /// - Parameter client: The client of the session.
    public init(client: PreludeSessionClient) {
        self.client = client
        following.task = Task { [weak self] in
            // Subscribe before the first read, so that no event is missed.
            let events = await client.events
            await self?.look()
            for await event in events { self?.take(event) }
        }
    }

    /// Reads the session again while the state is `unknown`. Call it when the device is unlocked or the app becomes active.
    public func look() async {
        guard state == .unknown else { return }
        guard let session = try? await client.engine.loaded() else {
            if await client.engine.isKnownSignedOut { take(.signedOut(nil)) }
            return
        }
        guard let profile = try? PreludeProfile(accessToken: session.accessToken) else { return }
        if state == .unknown { state = .signedIn(profile) }
    }

    private func take(_ event: SessionEvent) {
        switch event {
        case .signedIn(let profile), .refreshed(let profile): state = .signedIn(profile)
        case .signedOut(let reason): state = .signedOut(reason)
        }
    }

    private func take(_ state: State) {
        if self.state == .unknown { self.state = state }
    }

    /// Cancels the task when the model is released. The model's own deinit is not isolated.
    private final class Following {
        var task: Task<Void, Never>?
        deinit { task?.cancel() }
    }
}

extension SessionEngine {
    /// Whether the store was read and contains no session.
    var isKnownSignedOut: Bool { machine.knowledge == .signedOut }
}
