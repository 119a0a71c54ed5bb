extension PreludeSessionError {
    /// The error of a store that works again when the device is unlocked. Throw it in a store of your own.
    ///
    /// - Parameter text: What failed, for developers and logs.
    /// - Returns: `.storageUnavailable` with `needsUnlock`.
    public static func deviceLocked(_ text: String) -> Self { .storageUnavailable(Details(text, needsUnlock: true)) }

    /// Whether the credentials can be read again when the device is unlocked. `false` for a damaged record, a record of a
    /// newer version of the SDK, and a full or failing disk.
    public var needsUnlock: Bool {
        if case .storageUnavailable(let details) = self { details.needsUnlock } else { false }
    }
}
