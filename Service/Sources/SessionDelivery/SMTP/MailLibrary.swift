internal import CCurl

/// The library that sends mail. It is loaded when a route or a mail needs it first, because it brings many others.
package enum MailLibrary {
    /// Loads the library. Returns why it cannot be used, and the remedy.
    package static func problem() -> String? { problem(loading: String(cString: ccurl_library)) }

    static func problem(loading name: String) -> String? {
        guard let reason = ccurl_load(name) else { return nil }
        return "needs libcurl, which cannot be loaded: \(String(cString: reason)). On Debian, install libcurl4"
    }
}
