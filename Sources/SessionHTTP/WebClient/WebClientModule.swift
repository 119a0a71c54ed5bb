/// The client for browsers, as `WebClientRoute` serves it.
package enum WebClientModule {
    package static let bytes = PackageResources.prelude_session_js
}
