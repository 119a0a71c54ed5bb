/// The variables that Kubernetes sets in each container of a pod for a Service whose name begins with `prelude-session`,
/// unless the pod has `enableServiceLinks: false`.
///
/// Their names begin like settings: `PRELUDE_SESSION_SERVICE_HOST`, `PRELUDE_SESSION_PORT_8080_TCP_ADDR`. The variable
/// `PRELUDE_SESSION_PORT` has the name of a setting, and the value `tcp://10.0.0.11:8080`.
@available(service, *)
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
        let port = /_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/
        if name.hasSuffix("_SERVICE_HOST") || name.hasSuffix("_SERVICE_PORT") { return true }
        if name.contains("_SERVICE_PORT_") { return true }
        if name.hasSuffix("_PORT"), value.contains("://") { return true }
        return name.contains(/_PORT_[0-9]+/) && name.contains(port)
    }
}
