internal import CCurl
internal import Foundation
internal import SessionDomain

/// One transfer with libcurl. It blocks the thread.
struct SMTPTransfer {
    /// Milliseconds until the server must be ready for a mail: connected, with TLS, and signed in.
    private static let connectTimeout = 10_000

    let job: SMTPJob
    let handle: CurlHandle

    /// - Parameters:
    ///   - extensions: Those of the open connection of the handle.
    ///   - isFresh: Whether an open connection must not be used.
    func run(extensions: [String: String], isFresh: Bool) -> SMTPExchange {
        let exchange = SMTPExchange(job, extensions: extensions)
        let recipients = CurlList([job.recipient])
        // The name is never resolved by libcurl: it has exactly these addresses. An IPv6 address is its own, and libcurl
        // rejects an entry for it.
        let addresses = job.addresses.map { $0.contains(":") ? "[\($0)]" : $0 }.joined(separator: ",")
        let pins = CurlList(job.server.isIPv6 ? [] : ["+\(job.server.host):\(job.server.port):\(addresses)"])
        configure(isFresh: isFresh)
        _ = ccurl_set_list(handle.pointer, CURLOPT_MAIL_RCPT, recipients.pointer)
        _ = ccurl_set_list(handle.pointer, CURLOPT_RESOLVE, pins.pointer)
        let context = Unmanaged.passUnretained(exchange).toOpaque()
        for option in [CURLOPT_READDATA, CURLOPT_DEBUGDATA, CURLOPT_XFERINFODATA, CURLOPT_PREREQDATA] {
            _ = ccurl_set_pointer(handle.pointer, option, context)
        }
        setCallbacks()
        var message = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))
        let code = withExtendedLifetime((exchange, recipients, pins)) {
            message.withUnsafeMutableBufferPointer { buffer in
                _ = ccurl_set_pointer(handle.pointer, CURLOPT_ERRORBUFFER, buffer.baseAddress)
                defer { _ = ccurl_set_pointer(handle.pointer, CURLOPT_ERRORBUFFER, nil) }
                return curl_easy_perform(handle.pointer)
            }
        }
        exchange.ended(
            code, String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self),
            isReused: handle.number(CURLINFO_NUM_CONNECTS) == 0)
        // Removes the pointers to the exchange.
        handle.reset()
        return exchange
    }

    private func configure(isFresh: Bool) {
        let server = job.server
        handle.set(CURLOPT_URL, server.url)
        handle.set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        // Proxies of the environment would resolve the name again.
        handle.set(CURLOPT_PROXY, "")
        handle.set(CURLOPT_NOSIGNAL, 1)
        handle.set(CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue))
        handle.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        handle.set(CURLOPT_SSL_VERIFYPEER, 1)
        handle.set(CURLOPT_SSL_VERIFYHOST, 2)
        // The directory of the system's authorities stays the default, so this file is an addition.
        if let roots = job.trustRoots { handle.set(CURLOPT_CAINFO, roots) }
        handle.set(CURLOPT_TIMEOUT_MS, job.timeout)
        handle.set(CURLOPT_CONNECTTIMEOUT_MS, min(job.timeout, Self.connectTimeout))
        handle.set(CURLOPT_MAXAGE_CONN, SMTPWorker.idleSeconds)
        handle.set(CURLOPT_FRESH_CONNECT, isFresh ? 1 : 0)
        handle.set(CURLOPT_MAIL_FROM, job.sender)
        handle.set(CURLOPT_UPLOAD, 1)
        handle.set(CURLOPT_NOPROGRESS, 0)
        handle.set(CURLOPT_VERBOSE, 1)
        _ = ccurl_set_size(handle.pointer, CURLOPT_INFILESIZE_LARGE, curl_off_t(job.mail.count))
        guard let username = server.username, let secret = job.secret else { return }
        handle.set(CURLOPT_LOGIN_OPTIONS, server.loginOptions)
        handle.set(CURLOPT_USERNAME, username)
        handle.set(server.authentication == .xoauth2 ? CURLOPT_XOAUTH2_BEARER : CURLOPT_PASSWORD, secret)
    }

    private func setCallbacks() {
        _ = ccurl_on_read(handle.pointer) { buffer, size, count, context in
            guard let buffer, let exchange = SMTPExchange.from(context) else { return 0 }
            return exchange.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
        }
        _ = ccurl_on_debug(handle.pointer) { _, kind, text, count, context in
            guard let text, kind == CURLINFO_HEADER_IN || kind == CURLINFO_HEADER_OUT else { return 0 }
            let bytes = UnsafeRawBufferPointer(start: text, count: count)
            SMTPExchange.from(context)?.note(
                String(decoding: bytes, as: UTF8.self), isReply: kind == CURLINFO_HEADER_IN)
            return 0
        }
        // libcurl calls this at least once a second. Any other result than 0 ends the transfer.
        _ = ccurl_on_progress(handle.pointer) { _, _, _, _, _ in Task.isCancelled ? 1 : 0 }
        // Called after EHLO and AUTH, before MAIL.
        _ = ccurl_on_ready(handle.pointer) { context, _, _, _, _ in
            SMTPExchange.from(context)?.checkRequirements() == true ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
    }
}
