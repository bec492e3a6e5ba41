extension DocsPage {
    /// Dark or light as the reader's system has it; the contents stand beside the text where there is room, above it on a
    /// phone. Wide tables scroll by themselves.
    static let style = """
        :root { color-scheme: light dark; --line: #8886; --soft: #8882; }
        * { box-sizing: border-box; }
        body { margin: 0; font: 16px/1.5 system-ui, sans-serif; background: Canvas; color: CanvasText; }
        a { color: LinkText; text-decoration: none; }
        a:hover { text-decoration: underline; }
        nav, main { padding: 1rem; }
        nav { font-size: .85rem; border-bottom: 1px solid var(--line); max-height: 40vh; overflow: auto; }
        nav p { margin: .8rem 0 .2rem; font-weight: 600; }
        nav ul { list-style: none; margin: 0; padding: 0; }
        nav li { overflow-wrap: anywhere; }
        main { max-width: 60rem; }
        h2 { margin-top: 3rem; border-bottom: 2px solid var(--line); }
        h3 { overflow-wrap: anywhere; font-family: ui-monospace, monospace; font-weight: 500; }
        h4 { margin: 1rem 0 .3rem; }
        article { margin: 2rem 0; }
        .wide, pre { overflow-x: auto; }
        table { border-collapse: collapse; font-size: .9rem; min-width: 100%; }
        th, td { border: 1px solid var(--line); padding: .3rem .5rem; text-align: left; vertical-align: top; }
        td p { margin: 0; }
        code { font-family: ui-monospace, monospace; font-size: .85em; background: var(--soft); padding: .1em .25em; \
        overflow-wrap: anywhere; }
        pre { background: var(--soft); padding: .6rem; }
        pre code { background: none; padding: 0; overflow-wrap: normal; }
        @media (min-width: 60rem) {
          body { display: grid; grid-template-columns: 20rem 1fr; }
          nav { position: sticky; top: 0; height: 100vh; max-height: none; border: 0; border-right: 1px solid var(--line); }
          main { padding: 1rem 2rem; min-width: 0; }
        }
        """
}
