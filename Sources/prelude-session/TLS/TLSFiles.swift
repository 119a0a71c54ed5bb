import Foundation

/// The files of the certificate and its key.
@available(service, *)
struct TLSFiles: Sendable {
    let certificate: String
    let key: String

    /// What a change of the files changes.
    struct Stamp: Equatable {
        private let parts: [Int]

        fileprivate init(_ paths: [String]) {
            parts = paths.flatMap { path -> [Int] in
                var file = stat()
                guard stat(path, &file) == 0 else { return [] }
                #if canImport(Darwin)
                    let time = file.st_mtimespec
                #else
                    let time = file.st_mtim
                #endif
                return [Int(file.st_ino), Int(file.st_size), time.tv_sec, time.tv_nsec]
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
        do {
            return try ReadableFile(path: path).read().content
        } catch {
            throw settings.error(key, error.problem(of: path, ifMissing: "Name a file in PEM format"))
        }
    }
}

@available(service, *)
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
