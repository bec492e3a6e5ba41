extension DocsPage {
    /// The page's only script. It shows only the entries that contain all words of the search field, on the
    /// page and in its contents. Without scripts, the field stays hidden and the page shows everything.
    static let script = """
        (() => {
          const field = document.getElementById('search'), found = document.getElementById('found');
          const fold = document.getElementById('fold');
          const links = new Map(
            [...document.querySelectorAll('nav li a')].map(a => [a.hash.slice(1), a.parentElement]));
          const parts = [...document.querySelectorAll('main article')].map(node => (
            { node, link: links.get(node.id), text: node.textContent.toLowerCase() }));
          const hideEmpty = (groups, children) => {
            for (const group of groups) group.hidden = !group.querySelector(children + ':not([hidden])');
          };
          const search = () => {
            const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
            let count = 0;
            for (const { node, link, text } of parts) {
              const isFound = words.every(word => text.includes(word));
              node.hidden = !isFound;
              if (link) link.hidden = !isFound;
              if (isFound) count += 1;
            }
            hideEmpty(document.querySelectorAll('main section'), 'article');
            hideEmpty(document.querySelectorAll('nav .group'), 'li');
            document.getElementById('introduction').hidden = words.length > 0;
            found.textContent = words.length ? `${count} of ${parts.length} entries` : '';
          };
          field.hidden = found.hidden = false;
          field.addEventListener('input', search);
          document.querySelector('nav .contents').addEventListener('click', event => {
            if (event.target.closest('a')) fold.checked = false;
          });
          if (field.value) search();
        })();
        """
}
