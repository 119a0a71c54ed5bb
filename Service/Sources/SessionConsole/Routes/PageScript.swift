/// The script of a page, with what it may call.
struct PageScript: Sendable {
    let asset: Asset
    /// What the script adds to the policy of all pages.
    let policy: String

    /// Keeps graphs up to date.
    static let live = PageScript(asset: .liveScript, policy: "; script-src 'self'; connect-src 'self'")

    /// A script that may call one origin. With trusted types, no text can become markup or code.
    static func calling(_ origin: String, asset: Asset) -> PageScript {
        PageScript(
            asset: asset,
            policy: "; script-src 'self'; connect-src \(origin); require-trusted-types-for 'script'; "
                + "trusted-types 'none'")
    }
}
