/// Where the SDK's parts write to; nobody listens unless the app says so.
struct SessionLog: Sendable {
    let handler: (any PreludeSessionLogHandler)?

    /// A log that nobody reads.
    static let none = SessionLog(handler: nil)

    /// - Parameter attributes: Made only when somebody listens; those that are `nil` are left out.
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
