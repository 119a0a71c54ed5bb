/// The SDK's log. It passes entries to the app's handler, if there is one.
struct SessionLog: Sendable {
    let handler: (any PreludeSessionLogHandler)?

    /// A log without a handler.
    static let none = SessionLog(handler: nil)

    /// - Parameter attributes: Evaluated only when there is a handler. `nil` attributes are left out.
    func callAsFunction(
        _ level: PreludeSessionLogLevel, _ message: StaticString,
        _ attributes: @autoclosure () -> [PreludeSessionLogAttribute?] = []
    ) {
        guard let handler else { return }
        handler.log(
            PreludeSessionLogEntry(
                level: level, message: String(describing: message), attributes: attributes().compactMap { $0 }))
    }
}
