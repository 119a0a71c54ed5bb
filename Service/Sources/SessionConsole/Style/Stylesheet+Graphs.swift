extension Stylesheet {
    /// Graphs. The picture is stretched, and the labels of its axes are texts beside it, so they stay readable on a phone. The
    /// last one has the whole width if it is alone in its row.
    static let graphs = """
        .activity { display: grid; gap: var(--space-4); grid-template-columns: minmax(0, 1fr); }
        .activity > .message:empty { display: none; }
        .activity .button[aria-current] { background: var(--accent-soft); border-color: var(--accent); }
        .graphs { display: grid; gap: var(--space-5);
          grid-template-columns: minmax(0, 1fr); }
        @media (min-width: 48rem) and (max-width: 71.99rem) {
          .graphs { grid-template-columns: repeat(2, minmax(0, 1fr)); }
          .graphs > :nth-child(odd):last-child { grid-column: span 2; }
        }
        @media (min-width: 72rem) {
          .graphs { grid-template-columns: repeat(6, minmax(0, 1fr)); }
          .graphs > * { grid-column: span 2; }
          .graphs > :nth-child(-n + 2) { grid-column: span 3; }
          .graphs > :nth-child(3n):last-child { grid-column: span 6; }
        }
        h3 { font-size: var(--normal); line-height: 1.3; font-weight: 620; margin: 0; }
        .graph { gap: var(--space-3); grid-row: span 5; grid-template-rows: subgrid; }
        .graph h3 { font-size: var(--large); }
        .graph .unit { color: var(--quiet); font-size: var(--small); font-weight: 400; }
        .legend { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-4); font-size: var(--small); }
        .legend li { display: inline-flex; align-items: center; gap: var(--space-2); color: var(--quiet); }
        .legend strong { color: var(--text); font-variant-numeric: tabular-nums; }
        .sample { width: 1.75rem; height: .5rem; flex: none; }
        .plot { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: var(--space-2) var(--space-3); }
        .plot .y, .plot .x { display: flex; justify-content: space-between; color: var(--quiet); line-height: 1;
          font-size: var(--small); font-variant-numeric: tabular-nums; white-space: nowrap; }
        .plot .y { flex-direction: column; text-align: right; margin: -.4rem 0; }
        .plot .x { grid-column: 2; }
        .plot svg { width: 100%; height: 9rem; overflow: visible; display: block; }
        .plot-empty { height: 9rem; display: grid; place-items: center; color: var(--quiet); }
        .grid, .line { fill: none; vector-effect: non-scaling-stroke; }
        .grid { stroke: var(--line); stroke-width: 1px; }
        .line { stroke-width: 2px; stroke-linejoin: round; stroke-linecap: round; }
        .line.main { stroke: var(--accent); }
        .line.good { stroke: var(--good); stroke-dasharray: 8 5; }
        .line.warn { stroke: var(--warn); stroke-dasharray: 10 5 1 5; }
        .line.bad { stroke: var(--bad); stroke-dasharray: 1 5; stroke-width: 3px; }
        .graph table { font-variant-numeric: tabular-nums; }
        .graph th, .graph td { padding: var(--space-1) var(--space-3) var(--space-1) 0; white-space: nowrap; }
        @media (forced-colors: active) { .line { stroke: CanvasText; } .grid { stroke: GrayText; } }

        """
}
