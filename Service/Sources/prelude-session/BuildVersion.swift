import SessionWire

/// The version of this build, as `--version` and backups show it.
enum BuildVersion {
    /// `0.1.0` for a build of the tag `v0.1.0` without changes, otherwise `0.1.0-untagged`.
    static let text = isTagged ? ReleaseVersion.number : ReleaseVersion.number + "-untagged"

    /// Whether `scripts/package` built this program from a tag.
    private static var isTagged: Bool {
        #if TAGGED_RELEASE
            true
        #else
            false
        #endif
    }
}
