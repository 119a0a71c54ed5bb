import Foundation
import SessionDomain

/// The files of the certificate and its key.
struct TLSFiles: Sendable {
    let certificate: String
    let key: String

    /// What a change of the files changes.
    struct Stamp: Equatable {
        private let parts: [String]

        fileprivate init(_ paths: [String]) {
            parts = paths.map { path in
                // Programs that renew certificates change the target of a link.
                let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
                let attributes = (try? FileManager.default.attributesOfItem(atPath: target)) ?? [:]
                let time = (attributes[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate ?? 0
                return "\(target) \(attributes[.systemFileNumber] ?? 0) \(attributes[.size] ?? 0) \(time)"
            }
        }
    }

    var stamp: Stamp { Stamp([certificate, key]) }

    /// - Throws: `ConfigurationError` with the name of the setting in the given settings.
    func read(_ settings: Settings) throws(ConfigurationError) -> TLSCertificate {
        let chain = try content(of: certificate, .tlsCertificate, settings)
        let secret = try content(of: key, .tlsKey, settings)
        do {
            return try TLSCertificate(chain: chain, key: secret)
        } catch {
            let (setting, path) =
                error.part == .certificate ? (Settings.Key.tlsCertificate, certificate) : (.tlsKey, key)
            throw settings.error(setting, "\(path) \(error.text)")
        }
    }

    private func content(
        of path: String, _ key: Settings.Key, _ settings: Settings
    ) throws(ConfigurationError) -> Data {
        let content: Data
        do {
            content = try ReadableFile(path: path).read().content
        } catch {
            throw settings.error(key, error.problem(of: path, ifMissing: "Name a file in PEM format"))
        }
        guard !content.isUTF16 else { throw settings.error(key, "\(path) is UTF-16. Save it as ASCII or UTF-8") }
        return content.withoutByteOrderMark
    }
}

extension ServiceConfiguration {
    /// The files for TLS. `nil`: the listeners speak plain HTTP.
    static func tlsFiles(_ settings: Settings) throws -> TLSFiles? {
        switch (settings.string(.tlsCertificate), settings.string(.tlsKey)) {
        case (nil, nil): return nil
        case (let certificate?, let key?): return TLSFiles(certificate: certificate, key: key)
        case (_?, nil):
            throw settings.error(missing: "tlsKey", beside: .tlsCertificate, "is required with a certificate")
        case (nil, _?): throw settings.error(missing: "tlsCertificate", beside: .tlsKey, "is required with a key")
        }
    }
}
