extension Stylesheet {
    /// The playground: panels beside the log of calls, below each other on narrow screens.
    static let playground = """
        [hidden] { display: none !important; }
        .playground, .column { display: grid; gap: var(--space-5); grid-template-columns: minmax(0, 1fr);
          align-content: start; }
        .card .column { gap: var(--space-4); }
        @media (min-width: 62rem) { .to-calls { display: none; } .playground { grid-template-columns: minmax(19rem, 2fr) minmax(0, 3fr); } }
        .playground h3 { margin: 0; font-size: 1rem; font-weight: 620; }
        .playground h4 { margin: 0; font-size: var(--small); font-weight: 600; color: var(--quiet); }
        .playground .error:empty { display: none; }
        .playground .card > form + form { border-top: 1px solid var(--line); padding-top: var(--space-4); }
        .playground details .hint { margin-top: var(--space-2); }
        .playground [aria-invalid] { border-color: var(--bad); border-width: 2px; }
        .playground[aria-busy] { cursor: progress; }
        .log { display: grid; gap: var(--space-4); }
        .step { background: var(--surface); border: 1px solid var(--line); border-left: 3px solid var(--accent);
          border-radius: var(--radius); padding: var(--space-4); display: grid; gap: var(--space-3);
          grid-template-columns: minmax(0, 1fr); }
        .swift { background: var(--accent-soft); color: var(--text); }
        .calls { display: grid; gap: var(--space-2); }
        .call { border-top: 1px solid var(--line); padding-top: var(--space-2); }
        .call > summary { width: auto; color: var(--text); }
        .call > summary > span { margin-right: var(--space-2); }
        .call[open] > * + * { margin-top: var(--space-2); }
        .method { font-weight: 620; }
        .path { font: .875em/1.5 ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace; }
        .time { color: var(--quiet); font-size: var(--small); font-variant-numeric: tabular-nums; }
        .devices { display: grid; gap: var(--space-3); }
        .devices li { display: flex; flex-wrap: wrap; gap: 0 var(--space-3); align-items: center; }
        .devices .hint { flex: 1 1 12rem; }
        .token { color: var(--accent); }
        .members { display: grid; grid-template-columns: minmax(4rem, auto) minmax(0, 1fr);
          gap: var(--space-2) var(--space-4); }
        .members dt { font: 600 .875em/1.7 ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace; }
        .members dd > * { display: block; }
        .members dd > span { color: var(--quiet); font-size: var(--small); }

        """
}
