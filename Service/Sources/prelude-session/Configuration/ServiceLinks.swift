/// The variables that Kubernetes sets in each container of a pod for a Service whose name begins with `prelude-session`,
/// unless the pod has `enableServiceLinks: false`.
///
/// Their names begin like settings: `PRELUDE_SESSION_SERVICE_HOST`, `PRELUDE_SESSION_PORT_8080_TCP_ADDR`. The variable
/// `PRELUDE_SESSION_PORT` has the name of a setting, and the value `tcp://10.0.0.11:8080`.
struct ServiceLinks {
    /// The names of these variables, sorted.
    let names: [String]

    init(in environment: [String: String]) {
        names = environment.filter { Self.isLink($0.key, value: $0.value) }.keys.sorted()
    }

    /// An error for all of them: they have one cause and one remedy.
    var error: ConfigurationError? {
        names.first.map { first in
            let others = names.count > 1 ? " and \(names.count - 1) more" : ""
            return ConfigurationError(
                first + others,
                "Kubernetes sets these variables for a Service, and their names are those of settings. Set "
                    + "`enableServiceLinks: false` in the spec of the pod, or give the Service a name that does not begin "
                    + "with prelude-session")
        }
    }

    private static func isLink(_ name: String, value: String) -> Bool {
        guard name.hasPrefix(EnvironmentVariables.prefix) else { return false }
        if name.hasSuffix("_SERVICE_HOST") { return true }
        if name.hasSuffix("_PORT"), value.contains("://") { return true }
        // Words instead of a regular expression, which would compile at each start.
        var words = name.split(separator: "_")
        let pairs = zip(words, words.dropFirst())
        if pairs.contains(where: { $0 == "SERVICE" && $1 == "PORT" }) { return true }
        guard pairs.contains(where: { $0 == "PORT" && $1.first?.isNumber == true }) else { return false }
        if let last = words.last, ["PROTO", "PORT", "ADDR"].contains(last) { words.removeLast() }
        return words.last.map { ["TCP", "UDP", "SCTP"].contains($0) } == true
    }
}
