/// What an operator should read in the log, though nothing has failed.
package enum ServiceNotice: Sendable, Equatable, CustomStringConvertible {
    /// Keys that were made in the future wait anew from now.
    case keysRescheduled(app: AppID, keyIDs: [String])

    /// The clock went ahead by more than time has passed.
    case clockJumped(seconds: Int)

    /// Signing keys are sealed under a master key that this process does not have.
    case masterKeyMissing(id: String)

    package var description: String {
        switch self {
        case .keysRescheduled(let app, let keyIDs):
            "signing keys of app \(app) were made by a clock that was ahead, and got new times: "
                + "\(keyIDs.joined(separator: ", ")). Check that the clocks of all nodes are kept right"
        case .clockJumped(let seconds):
            "the clock went ahead by \(seconds) seconds more than have passed. What expires by it is refused, but nothing is "
                + "deleted by it for a day, unless it is right again before: check the clock of this machine"
        case .masterKeyMissing(let id):
            "signing keys in the database are sealed under the master key \(id.debugDescription), which this process does not "
                + "have. It goes on with the keys that it had opened before, and takes no others: add that master key to "
                + "where the master keys of this process are, and restart it"
        }
    }
}
