/// What an operator should read in the log, though nothing has failed.
package enum ServiceNotice: Sendable, Equatable, CustomStringConvertible {
    /// Keys that were made in the future wait anew from now.
    case keysRescheduled(app: AppID, keyIDs: [String])

    package var description: String {
        switch self {
        case .keysRescheduled(let app, let keyIDs):
            "signing keys of app \(app) were made by a clock that was ahead, and got new times: "
                + "\(keyIDs.joined(separator: ", ")). Check that the clocks of all nodes are kept right"
        }
    }
}
