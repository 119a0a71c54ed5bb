public import Observation

/// The session as an interface shows it: who is signed in, or why nobody is. For SwiftUI, and for whatever else observes.
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
    /// What is known of the session.
    public enum State: Sendable, Hashable {
        /// Not read yet, or not readable now: a locked device is no sign-out. Show neither home nor login.
        case unknown
        /// Nobody is signed in; the reason if the session ended while this model lived.
        case signedOut(SignOutReason?)
        /// Somebody is signed in, offline as well.
        case signedIn(PreludeProfile)
    }

    /// What is known now; follows logins, refreshes and sign-outs of all copies of the client.
    public private(set) var state = State.unknown

    @ObservationIgnored private let client: PreludeSessionClient
    @ObservationIgnored private let following = Following()

    /// A model that reads the session at once and follows it for as long as it lives.
    ///
    /// - Parameter client: Whose session is shown.
    public init(client: PreludeSessionClient) {
        self.client = client
        following.task = Task { [weak self] in
            // Before the first look, so that nothing falls between.
            let events = await client.events
            await self?.look()
            for await event in events { self?.take(event) }
        }
    }

    /// Reads the session again where it was unknown: when the device was unlocked, or the app came to the front.
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

    /// Ends with its model, whose own deinit may run anywhere.
    private final class Following {
        var task: Task<Void, Never>?
        deinit { task?.cancel() }
    }
}

extension SessionEngine {
    /// Whether the store was read and holds nobody.
    var isKnownSignedOut: Bool { machine.knowledge == .signedOut }
}
