extension SessionService: CustomStringConvertible, CustomReflectable {
    /// Without the members: one line of a log would contain the whole service.
    package var description: String { "SessionService" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
