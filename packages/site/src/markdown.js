// Markdown to HTML: anchors as on GitHub, code in colour, formulas, wide tables that scroll by themselves, links to pages of the site.
import MarkdownIt from 'markdown-it';
import { anchorOf, escapeHtml, wordsOf } from './html.js';
import { mathematics } from './mathematics.js';

/** The language of code that is only indented: commands, or a program. */
function languageOf(code) {
  if (/^(npm|npx|ght|node|docker|redis-server|#!\/bin\/bash)\b/m.test(code)) return 'sh';
  if (/^(import|const|await) /m.test(code)) return 'js';
  return /^\w+: /m.test(code) ? 'yaml' : 'text';
}

/** A command followed by what it does, two blanks or more apart, as `<span class="aside">`. */
const withAsides = (html) =>
  html.replace(/^((?:<[^>]+>)*(?:npx |ght |npm ).*?) {2,}(.+)$/gm, (_, command, aside) => {
    return `${command}  <span class="aside">${wordsOf(aside)}</span>`;
  });

/** Makes `render(text, link)`; `link(target)` is the address of a link or picture on the site. */
export function createRenderer(highlighter) {
  const markdown = new MarkdownIt({ html: true, linkify: false }).use(mathematics);
  const { rules } = markdown.renderer;
  const code = (content, language) => {
    const text = content.replace(/\n$/, '');
    const shown = language === 'sh' ? withAsides(escapeHtml(text)) : highlighter.html(text, language);
    return `<div class="code"><pre tabindex="0"><code>${shown}</code></pre></div>\n`;
  };
  rules.fence = (tokens, i) => code(tokens[i].content, tokens[i].info.trim().split(' ')[0]);
  rules.code_block = (tokens, i) => code(tokens[i].content, languageOf(tokens[i].content));
  rules.table_open = () => '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>\n';
  rules.table_close = () => '</table></div>\n';

  // A header cell without words is no header.
  const cell = (tokens, i) => (tokens[i + 1].content === '' ? 'td' : 'th');
  rules.th_open = (tokens, i) => `<${cell(tokens, i)}>`;
  rules.th_close = (tokens, i) => `</${cell(tokens, i - 2)}>`;

  const titles = [];
  rules.heading_open = (tokens, i, _, env) => {
    const { tag } = tokens[i];
    const title = wordsOf(markdown.renderer.renderInline(tokens[i + 1].children, markdown.options, env));
    // As GitHub does it, a second heading of the same name gets a number.
    const name = anchorOf(title);
    const before = env.headings.filter(({ anchor }) => anchor.replace(/-\d+$/, '') === name).length;
    const anchor = before === 0 ? name : `${name}-${before}`;
    env.headings.push({ level: Number(tag[1]), title, anchor });
    titles.push(anchor);
    return `<${tag} id="${anchor}">`;
  };
  rules.heading_close = (tokens, i) => {
    const { tag } = tokens[i];
    const anchor = titles.pop();
    const own = tag === 'h1' ? '' : `<a class="anchor" href="#${anchor}" aria-hidden="true" tabindex="-1">#</a>`;
    return `${own}</${tag}>\n`;
  };
  rules.link_open = (tokens, i, options, env, self) => {
    tokens[i].attrSet('href', env.link(tokens[i].attrGet('href')));
    return self.renderToken(tokens, i, options);
  };
  const image = rules.image;
  rules.image = (tokens, i, options, env, self) => {
    tokens[i].attrSet('src', env.link(tokens[i].attrGet('src')));
    tokens[i].attrSet('loading', 'lazy');
    return image(tokens, i, options, env, self);
  };

  return (text, link) => {
    const env = { link, headings: [] };
    const html = markdown.render(text, env);
    return { html, headings: env.headings };
  };
}
