/// Tells the processes that share a credential store that the session has changed. It carries nothing: a process that hears it
/// reads the store.
protocol ChangeSignal: Sendable {
    /// Tells all processes, this one too.
    func post()
    /// Observes the signal until the returned object is released.
    ///
    /// - Parameter heard: Called for the posts of all processes. Several posts may be one call.
    func observe(_ heard: @escaping @Sendable () -> Void) -> AnyObject
}

/// A credential store that other processes may share.
protocol SharedCredentialStore: PreludeCredentialStore {
    /// The signal of these processes; `nil` if no other process shares the store, or the system has no signal.
    ///
    /// - Parameter endpoint: As in `RecordStore.endpoint`.
    func changeSignal(of endpoint: String) -> (any ChangeSignal)?
}
