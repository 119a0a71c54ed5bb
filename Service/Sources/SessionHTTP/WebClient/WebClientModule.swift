/// The client for browsers, as `WebClientRoute` serves it. The build embeds `clients/web/prelude-session.js`
/// (`Package.swift`).
package enum WebClientModule {
    package static let bytes = PackageResources.prelude_session_js
}
