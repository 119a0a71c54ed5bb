/// The settings of mail and SMS that `init` writes. The delivery reads them.
enum DeliverySettingName: String, CaseIterable {
    case smtpHost, smtpPort, smtpTls, smtpUsername, smtpPasswordFile, mailFrom
    case smsProvider, smsAccount, smsUsername, smsSecretFile, smsFrom, smsUrl

    /// The name in upper snake case, without the prefix of the environment.
    var variable: String {
        rawValue.reduce(into: "") { $0 += $1.isUppercase ? "_\($1)" : $1.uppercased() }
    }

    /// The flag of `init`, without `--`.
    var flag: String { variable.lowercased().replacing("_", with: "-") }
}
