extension Stylesheet {
    /// The readable description of the APIs.
    static let reference = """
        .calls { display: grid; gap: var(--space-2); }
        .calls li { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-4); justify-content: space-between;
          align-items: baseline; }
        .badge.method { font-weight: 650; min-width: 4.25rem; text-align: center; margin-right: var(--space-2); }
        .badge.get { background: var(--good-soft); color: var(--good); }
        .badge.delete { background: var(--bad-soft); color: var(--bad); }
        .badge.post, .badge.put, .badge.patch { background: var(--accent-soft); color: var(--accent); }
        .call { scroll-margin-top: var(--space-4); }
        .call:target { border-color: var(--accent); }
        .call h2 a { color: inherit; text-decoration: none; }
        .call h2 a:hover { text-decoration: underline; }
        .call h3 { margin-top: var(--space-2); }
        .call .path { font-size: var(--normal); }
        .call .unit { color: var(--quiet); font-size: var(--small); font-weight: 400; }
        .call th, .call td { padding: var(--space-2) var(--space-4) var(--space-2) 0; }
        .call tbody th, .call td { font-size: var(--small); }
        .call td:last-child { min-width: 16rem; overflow-wrap: break-word; }
        .call .needed { color: var(--quiet); font-weight: 400; }
        .call .limits { display: block; color: var(--quiet); }

        """
}
