// Two files that are no pages of documentation: what a host serves for an address that does not exist, and the list of pages for
// programs that read.

/** The page for addresses that do not exist. A host serves it at any address, so its links are made from the address itself. */
export function notFound() {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Not found · GHT</title>
<style>:root{color-scheme:light dark;font:17px/1.6 system-ui,sans-serif}body{max-width:34rem;margin:15vh auto;padding:0 1.25rem}a{color:light-dark(#0b5cad,#7cb8f5)}</style>
</head>
<body>
<main>
<h1>This page does not exist</h1>
<p>It may have moved. Pages that many look for:</p>
<ul>
<li><a href="index.html">Home</a></li>
<li><a href="quick-start.html">Quick start</a></li>
<li><a href="denoising.html">Denoising</a></li>
<li><a href="api/index.html">API</a></li>
<li><a href="studio/index.html">The studio</a></li>
</ul>
</main>
<script>
// The folder of the site: what comes before the first folder that the site has, or before the last name.
const root = location.pathname.replace(/(api|assets|examples|files|gallery|studio)\\/.*$|[^/]*$/, '');
for (const link of document.querySelectorAll('a')) link.href = root + link.getAttribute('href');
</script>
</body>
</html>
`;
}

/** The pages of the menu with what they are about, as Markdown. */
export function listForPrograms(menu, pages) {
  const about = new Map(pages.map(({ address, description }) => [address, description]));
  const sections = menu.map(({ title, links }) => {
    const lines = links.map(({ to, name }) => `- [${name}](${to}): ${about.get(to)}`);
    return `## ${title}\n\n${lines.join('\n')}`;
  });
  const intro = `# GHT

> Denoise, repair, enlarge and sharpen images in Node and browsers: the library \`ght\` without dependencies, the command \`ght-cli\`, and a page. Also sparse
> codes of images under one global budget (joint OMP, GHT-QPM, GHT-ADMM).

\`npm install ght ght-images\`. The main functions of \`ght\`: represent, denoise, diagnose, inpaint, deblur, upscale, restore, learn, solve, describe.`;
  return `${intro}\n\n${sections.join('\n\n')}\n`;
}
