internal import Foundation

/// Calls `getaddrinfo` (RFC 3493 §6.1).
enum AddressInfo {
    /// Returns all addresses of a host, in the order of RFC 6724. Blocks.
    static func addresses(of host: String) throws(HostResolutionError) -> [String] { try call(host, flags: 0) }

    /// Returns the address that a text denotes, in any spelling that the system knows, such as `127.1`. Sends no query.
    static func literal(_ text: String) -> String? { try? call(text, flags: AI_NUMERICHOST).first }

    private static func call(_ host: String, flags: Int32) throws(HostResolutionError) -> [String] {
        var hints = addrinfo()
        hints.ai_flags = flags
        hints.ai_family = AF_UNSPEC
        #if canImport(Darwin)
            hints.ai_socktype = SOCK_STREAM
        #else
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &list)
        guard status == 0 else { throw HostResolutionError(reason: String(cString: gai_strerror(status))) }
        defer { freeaddrinfo(list) }

        var addresses: [String] = []
        var next = list
        while let entry = next {
            if let address = text(entry.pointee) { addresses.append(address) }
            next = entry.pointee.ai_next
        }
        return addresses
    }

    private static func text(_ entry: addrinfo) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let status = getnameinfo(
            entry.ai_addr, entry.ai_addrlen, &buffer, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST)
        guard status == 0 else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
