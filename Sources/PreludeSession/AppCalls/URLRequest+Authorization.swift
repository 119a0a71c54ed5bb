internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension URLRequest {
    /// Sets the fields that authorize this request. They replace fields with the same names.
    ///
    /// On Linux it replaces all fields at once. There `setValue` compares each character of a value, which takes as long as
    /// the signature of the proof: 23 µs for an access token and 34 µs for a proof, instead of 0.9 µs for both.
    mutating func setFields(_ fields: AppAuthorization) {
        let added = [("Authorization", fields.authorization), ("DPoP", fields.proof)]
        #if canImport(FoundationNetworking)
            if added.allSatisfy({ Self.isVisibleASCII($0.1 ?? "") }) {
                var all = allHTTPHeaderFields ?? [:]
                for (name, value) in added {
                    guard let value else { continue }
                    for other in all.keys where other.lowercased() == name.lowercased() { all[other] = nil }
                    all[name] = value
                }
                allHTTPHeaderFields = all
                return
            }
        #endif
        for case (let name, let value?) in added { setValue(value, forHTTPHeaderField: name) }
    }

    /// Any other value is left to Foundation, which rejects values that would begin another field (RFC 9110 §5.5).
    private static func isVisibleASCII(_ value: String) -> Bool {
        var value = value
        // Without a way out of the loop, the compiler compares many bytes at once.
        let others: UInt8 = value.withUTF8 { $0.reduce(0) { $0 | ($1 &- 0x20 > 0x5E ? 1 : 0) } }
        return others == 0
    }
}
