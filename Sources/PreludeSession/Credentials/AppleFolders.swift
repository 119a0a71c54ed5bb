internal import Foundation

/// The folders of the SDK's files on Apple systems.
///
/// It is not behind `#if`, so that it is tested on every system.
struct AppleFolders: Sendable {
    /// The home directory: the app's container, or without a sandbox the user's.
    let home: String
    /// tvOS lets apps write to folders of caches only, and deletes their files when it needs space.
    let isTV: Bool

    /// Of the file store.
    var records: String { support(in: home) }

    /// Of the locks of one app's Keychain items. Without a sandbox all apps share one caches directory, so it contains the
    /// app's name.
    func locks(ofApp app: String, service: String) -> String {
        home + "/Library/Caches/" + FileName.folder(app) + "/" + FileName.folder(service)
    }

    /// Of the locks of Keychain items that an app group shares.
    func locks(inGroup container: String, service: String) -> String {
        support(in: container) + "/" + FileName.folder(service)
    }

    private func support(in container: String) -> String {
        container + (isTV ? "/Library/Caches" : "/Library/Application Support") + "/prelude-session"
    }

    static var current: AppleFolders {
        #if os(tvOS)
            AppleFolders(home: NSHomeDirectory(), isTV: true)
        #else
            AppleFolders(home: NSHomeDirectory(), isTV: false)
        #endif
    }
}
