/// The users and devices of one connection.
final class LoadClient {
    let index: Int
    /// Its session is refreshed, listed and verified.
    let device: Device
    /// Signs in again and again.
    let login: Device
    /// Steps up. Each phase signs in a new user, because a user may step up 30 times in 10 minutes.
    let stepUp: Device
    /// The users of `login`. A returning user has about as many sessions as the phases have logins.
    let returning: NumberPool
    private let new: NumberPool
    private(set) var stepUpNumber = ""

    /// - Parameter index: Below 100. Each client has its own 10 000 phone numbers.
    init(_ index: Int, wire: WireRequest) throws {
        self.index = index
        device = try Device(wire: wire)
        login = try Device(wire: wire)
        stepUp = try Device(wire: wire)
        returning = NumberPool(connection: index, size: 100)
        new = NumberPool(connection: index + 100, size: 10_000)
    }

    /// A number that no user has yet, for the next phase of step-ups.
    func newStepUpNumber() -> String {
        stepUpNumber = new.next()
        return stepUpNumber
    }
}
