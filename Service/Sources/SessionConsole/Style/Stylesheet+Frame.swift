extension Stylesheet {
    /// The frame of all pages: header, navigation, main part, and the sign-in.
    static let frame = """
        .skip { position: absolute; left: var(--space-4); top: -4rem; background: var(--accent); color: var(--accent-text);
          padding: var(--space-2) var(--space-4); border-radius: .375rem; z-index: 1; }
        .skip:focus { top: var(--space-2); }
        .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
        .top { background: var(--surface); border-bottom: 1px solid var(--line); }
        .top > div { max-width: 76rem; margin: 0 auto; padding: var(--space-3) var(--space-5); display: flex;
          flex-wrap: wrap; align-items: center; gap: var(--space-2) var(--space-5); }
        .brand { display: inline-flex; align-items: center; gap: var(--space-2); font-weight: 650; color: var(--text);
          text-decoration: none; white-space: nowrap; padding: var(--space-1) 0; }
        .mark { width: 1.5rem; height: 1.5rem; border-radius: .4rem; background: var(--accent); color: var(--accent-text);
          display: inline-grid; place-items: center; font-size: .875rem; font-weight: 700; }
        .places { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-4); flex: 1; }
        .places a { color: var(--quiet); text-decoration: none; padding: var(--space-1) 0; }
        .places a:hover, .places a[aria-current] { color: var(--text); }
        .places a[aria-current] { font-weight: 600; }
        .operator { display: flex; align-items: center; gap: var(--space-3); color: var(--quiet); font-size: var(--small); }
        .operator .actions { margin: 0; }
        .app { background: var(--surface); border-bottom: 1px solid var(--line); }
        .app > nav { max-width: 76rem; margin: 0 auto; padding: var(--space-3) var(--space-5) 0; }
        .app p { font-size: var(--small); color: var(--quiet); }
        .app p strong { color: var(--text); font-size: var(--normal); }
        .app ul { display: flex; flex-wrap: wrap; gap: 0 var(--space-5); }
        .app li a { display: block; padding: var(--space-3) 0; color: var(--quiet); text-decoration: none;
          border-bottom: 3px solid transparent; }
        .app li a:hover { color: var(--text); }
        .app li a[aria-current] { color: var(--text); font-weight: 600; border-bottom-color: var(--accent); }
        .page { max-width: 76rem; margin: 0 auto; padding: var(--space-6) var(--space-5) var(--space-7); display: grid;
          gap: var(--space-5); grid-template-columns: minmax(0, 1fr); }
        .page-head { display: flex; flex-wrap: wrap; gap: var(--space-3) var(--space-5); align-items: end;
          justify-content: space-between; }
        .crumb { font-size: var(--small); }
        .sign-in { min-height: 100vh; display: grid; place-items: center; padding: var(--space-5); }
        .sign-in .card { width: min(27rem, 100%); padding: var(--space-6); display: grid; gap: var(--space-5); }
        .sign-in h1 { font-size: 1.375rem; }
        .sign-in .mark { width: 2.25rem; height: 2.25rem; font-size: 1.125rem; border-radius: .6rem; }
        .sign-in button { width: 100%; }
        .sign-in details { color: var(--quiet); font-size: var(--small); }
        .sign-in details > * + * { margin-top: var(--space-2); }
        @media (max-width: 40rem) {
          .top > div, .app > nav { padding-left: var(--space-4); padding-right: var(--space-4); }
          .page { padding: var(--space-5) var(--space-4) var(--space-6); }
          .places { order: 3; flex-basis: 100%; }
          .app ul { gap: 0 var(--space-4); }
          .app li a { padding: var(--space-1) 0; border-bottom-width: 2px; }
          h1 { font-size: 1.375rem; }
        }

        """
}
