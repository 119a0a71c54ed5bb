/// The time of an access token's issue.
public enum IssueTime {
    /// Seconds by which `iat` and `nbf` lie before the issue. Common libraries have no leeway: they reject a token whose `iat` or
    /// `nbf` is in the future by their own clock.
    public static let backdating: Int64 = 30
}
