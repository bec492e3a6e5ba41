extension DocsPage {
    /// Dark or light, like the reader's system. The contents are beside the text if there is room; on a phone
    /// they are folded above it. Names are not broken across lines: what is too wide scrolls on its own.
    static let style = """
        :root { color-scheme: light dark; --line: #8886; --soft: #8882; }
        * { box-sizing: border-box; }
        [hidden] { display: none !important; }
        body { margin: 0; font: 16px/1.5 system-ui, sans-serif; background: Canvas; color: CanvasText; }
        a { color: LinkText; text-decoration: none; }
        a:hover { text-decoration: underline; }
        nav, main { padding: 1rem; }
        nav { font-size: .85rem; border-bottom: 1px solid var(--line); }
        nav p { margin: .8rem 0 .2rem; font-weight: 600; }
        nav ul { list-style: none; margin: 0; padding: 0; }
        nav li { padding: .1rem 0; }
        nav li b { font-size: .85em; }
        #search { width: 100%; font: inherit; font-size: 1rem; padding: .4rem .6rem; border: 1px solid var(--line); \
        border-radius: .3rem; background: Canvas; color: CanvasText; }
        #found { margin: .3rem 0 0; font-weight: 400; min-height: 1.3em; opacity: .8; }
        #fold { position: absolute; opacity: 0; }
        label { display: block; padding: .4rem 0; font-weight: 600; font-size: 1rem; cursor: pointer; }
        label::before { content: "\\25B8\\00A0"; }
        #fold:checked + label::before { content: "\\25BE\\00A0"; }
        #fold:focus-visible + label { outline: 2px solid LinkText; }
        .contents { display: none; max-height: 60vh; overflow: auto; }
        #fold:checked ~ .contents { display: block; }
        main { max-width: 62rem; }
        h1 { margin-top: 0; }
        h2 { margin-top: 3rem; border-bottom: 2px solid var(--line); }
        h3 { font-family: ui-monospace, monospace; font-weight: 500; overflow-wrap: break-word; }
        h4 { margin: 1rem 0 .3rem; }
        article { margin: 2rem 0; scroll-margin-top: 1rem; }
        .wide, pre { overflow-x: auto; }
        table { border-collapse: collapse; font-size: .9rem; min-width: 100%; }
        th, td { border: 1px solid var(--line); padding: .3rem .5rem; text-align: left; vertical-align: top; }
        td p { margin: 0; }
        td:last-child { min-width: 14rem; }
        code { font-family: ui-monospace, monospace; font-size: .85em; background: var(--soft); padding: .1em .25em; \
        border-radius: .2em; }
        td code { white-space: nowrap; }
        td code.long { white-space: normal; overflow-wrap: anywhere; }
        pre { background: var(--soft); padding: .6rem; border-radius: .3rem; }
        pre code { background: none; padding: 0; }
        summary { cursor: pointer; margin: .6rem 0; }
        @media (max-width: 60rem) {
          p code { overflow-wrap: anywhere; }
        }
        @media (min-width: 60rem) {
          body { display: grid; grid-template-columns: 21rem 1fr; }
          nav { position: sticky; top: 0; height: 100vh; border: 0; border-right: 1px solid var(--line); \
        display: flex; flex-direction: column; }
          label { display: none; }
          .contents { display: block; max-height: none; flex: 1; }
          main { padding: 1rem 2rem; min-width: 0; }
        }
        """
}
