public import Foundation
public import PreludeSession

#if canImport(Combine)
    public import Combine
#endif

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Sends requests to the app's backend, and shows a sheet when the backend asks for a step-up.
///
/// Keep one in the view that has the sheet, see `stepUpSheet(_:)`. Its calls show one sheet at a time.
@MainActor
public final class StepUpPresenter: ObservableObject {
    private struct Run {
        let scope: String
        /// Returns whether the session has the scope now.
        let task: Task<Bool, any Error>
        let dismissed: AsyncStream<Void>.Continuation
    }

    /// The step-up to show; `nil` if none is needed now.
    public private(set) var model: StepUpModel? {
        willSet { objectWillChange.send() }
    }

    /// For the binding of the sheet, which sets it to `nil` when the user closes the sheet.
    var sheet: StepUpModel? {
        get { model }
        set { if newValue == nil { dismiss() } }
    }

    private let client: PreludeSessionClient
    private let ownStep: StepUpModel.OwnStep?
    private var current: Run?

    /// Creates a presenter.
    ///
    /// - Parameters:
    ///   - client: The client of the user's session.
    ///   - ownStep: Returns the proof of each step that is not a code. Without it, such a step fails.
    public init(client: PreludeSessionClient, ownStep: StepUpModel.OwnStep? = nil) {
        self.client = client
        self.ownStep = ownStep
    }

    /// Sends a request to the app's backend as the signed-in user. If the backend asks for a step-up, it shows the sheet and
    /// sends the request again when the user has completed it.
    ///
    /// - Parameter request: As for `PreludeSessionClient.data(for:)`.
    /// - Returns: The response to the last request, with any status.
    /// - Throws: The errors of `PreludeSessionClient.data(for:)`; `.forbidden` when the scope is denied;
    ///   `CancellationError` when the user closes the sheet, or the task is cancelled.
    public func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        var call = AppCall(request, client: client)
        while true {
            switch try await call.send() {
            case .response(let data, let response): return (data, response)
            case .needs(let scope): try await stepUp(scope)
            }
        }
    }

    /// Closes the sheet. The call that showed it then throws.
    public func dismiss() { current?.dismissed.finish() }

    private func stepUp(_ scope: String) async throws {
        while let current {
            // The sheet of another call. If it gets the same scope, this call needs none.
            let isGranted = (try? await current.task.value) ?? false
            try Task.checkCancellation()
            if isGranted, current.scope == scope { return }
        }
        let (dismissed, source) = AsyncStream.makeStream(of: Void.self)
        let model = StepUpModel(
            client: client, scope: scope,
            onComplete: {
                source.yield()
                source.finish()
            },
            ownStep: ownStep)
        let task = Task {
            // Before the task returns, so that a waiting call never sees a sheet that is closed.
            defer {
                self.current = nil
                self.model = nil
            }
            for await _ in dismissed { return true }
            try Task.checkCancellation()
            if case .denied = model.phase {
                throw PreludeSessionError.forbidden(.init("the scope is denied", code: .authBlocked))
            }
            throw CancellationError()
        }
        current = Run(scope: scope, task: task, dismissed: source)
        self.model = model
        _ = try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
