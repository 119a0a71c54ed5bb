extension PreludeSessionError {
    /// Refuses a text without a visible character, before any call.
    ///
    /// - Parameter name: What the text is, to begin the error's sentence with.
    static func refuseBlank(_ text: String, _ name: String) throws(PreludeSessionError) {
        guard !text.allSatisfy(\.isWhitespace) else { throw .invalidConfiguration("\(name) is blank") }
    }
}
