package import CEmbeddedFiles

/// The client for browsers, as `WebClientRoute` serves it. The program contains `clients/web/prelude-session.js`
/// (`CEmbeddedFiles`).
package enum WebClientModule {
    package static let bytes = [UInt8](cembedded_prelude_session_js())
}

extension [UInt8] {
    /// The bytes of a file that the program contains.
    package init(_ file: cembedded_file) {
        self.init(UnsafeBufferPointer(start: file.bytes, count: file.length))
    }
}
