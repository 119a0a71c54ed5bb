extension Stylesheet {
    /// Tables and navigation on a narrow screen. It comes last.
    static let phone = """
        @media (max-width: 40rem) {
          .stack, .stack tbody, .stack tr, .stack th, .stack td { display: block; }
          .stack thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
            white-space: nowrap; }
          .stack tbody tr { padding: var(--space-3) var(--space-4); border-bottom: 1px solid var(--line); }
          .stack tbody tr:last-child { border-bottom: 0; }
          .stack tbody tr > * { position: relative; border: 0; padding: var(--space-1) 0 var(--space-1) 7.5rem;
            min-height: 2rem; overflow-wrap: anywhere; }
          .stack tbody tr > *::before { position: absolute; left: 0; top: var(--space-1); width: 7rem; font-weight: 400;
            font-size: var(--small); color: var(--quiet); content: attr(data-label); content: attr(data-label) / ""; }
          .stack td pre { min-width: 0; }
          .stack time { white-space: normal; }
          .app ul { flex-wrap: nowrap; overflow-x: auto; padding: 3px var(--space-6) 3px 3px; white-space: nowrap;
            mask-image: linear-gradient(to right, #000 calc(100% - var(--space-6)), transparent); }
          .app li:has([aria-current]) { scroll-initial-target: nearest; }
        }

        """
}
