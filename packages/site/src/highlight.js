// Code with its syntax in colour, for light and dark pages. Colours become classes, so that pages stay small.
import {
  bundledLanguages,
  bundledThemes,
  codeToTokensWithThemes,
  createOnigurumaEngine,
  createShikiInternal,
  loadBuiltinWasm,
} from '@gerrit0/mini-shiki';
import { escapeHtml } from './html.js';

// The themes whose every colour has enough contrast with the background of code.
const themes = { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' };
const languages = ['js', 'ts', 'html', 'python', 'matlab', 'sh', 'json', 'yaml'];

/** A highlighter: `html(code, language)`, and `css()` with the colours used so far. */
export async function createHighlighter() {
  await loadBuiltinWasm();
  const shiki = await createShikiInternal({
    engine: await createOnigurumaEngine(),
    themes: Object.values(themes).map((name) => bundledThemes[name]),
    langs: languages.map((name) => bundledLanguages[name]),
  });
  const classes = new Map();

  function classOf({ light, dark }) {
    const colours = `${light.color} ${dark.color}`;
    if (!classes.has(colours)) classes.set(colours, `c${classes.size}`);
    return classes.get(colours);
  }

  return {
    html(code, language) {
      if (!languages.includes(language)) return escapeHtml(code);
      const lines = codeToTokensWithThemes(shiki, code, { lang: language, themes });
      const html = (token) =>
        /^\s*$/.test(token.content)
          ? token.content
          : `<span class="${classOf(token.variants)}">${escapeHtml(token.content)}</span>`;
      return lines.map((tokens) => tokens.map(html).join('')).join('\n');
    },
    css() {
      return [...classes]
        .map(([colours, name]) => {
          const [light, dark] = colours.split(' ');
          return `.${name}{color:light-dark(${light},${dark})}`;
        })
        .join('\n');
    },
  };
}
