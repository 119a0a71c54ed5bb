/// The version of the SDK and of the service, in one place.
///
/// A release is the commit with the tag `v` and this number. `scripts/package` rejects a tag with another number.
public enum ReleaseVersion {
    public static let number = "0.1.0"
}
