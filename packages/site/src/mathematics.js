// Formulas in Markdown, as GitHub reads them: $…$ in a line, $$…$$ as a block.
import katex from 'katex';

/** The comments mark where a formula begins and ends, for the words of a page. */
function typeset(formula, displayMode) {
  const html = katex.renderToString(formula, { displayMode, throwOnError: true, strict: 'error' });
  return `<!--formula-->${html}<!--/formula-->`;
}

/** A formula in a line: no blank inside next to the dollar signs, and no digit after them, so that prices stay text. */
function inline(state, silent) {
  const start = state.pos;
  if (state.src[start] !== '$' || /[\s$]/.test(state.src[start + 1] ?? ' ')) return false;
  const end = state.src.indexOf('$', start + 1);
  if (end < 0 || /\s/.test(state.src[end - 1]) || /\d/.test(state.src[end + 1] ?? '')) return false;
  if (!silent) state.push('formula', '', 0).content = state.src.slice(start + 1, end);
  state.pos = end + 1;
  return true;
}

/** A formula of its own: between two lines that are `$$`, or in one line between `$$`. */
function block(state, startLine, endLine, silent) {
  const lineAt = (line) => state.src.slice(state.bMarks[line] + state.tShift[line], state.eMarks[line]);
  const first = lineAt(startLine);
  if (!first.startsWith('$$')) return false;
  if (silent) return true;
  let line = startLine;
  let formula = first.slice(2);
  while (!formula.trimEnd().endsWith('$$') && line + 1 < endLine) formula += `\n${lineAt(++line)}`;
  const token = state.push('formula_block', '', 0);
  token.block = true;
  token.content = formula.trimEnd().slice(0, -2);
  state.line = line + 1;
  return true;
}

/** The plugin of markdown-it. */
export function mathematics(markdown) {
  markdown.inline.ruler.after('escape', 'formula', inline);
  markdown.block.ruler.before('fence', 'formula_block', block, { alt: ['paragraph', 'list'] });
  markdown.renderer.rules.formula = (tokens, i) => typeset(tokens[i].content, false);
  // A wide formula scrolls by itself, also by keyboard.
  markdown.renderer.rules.formula_block = (tokens, i) =>
    `<div class="wide" tabindex="0" role="group" aria-label="Formula">${typeset(tokens[i].content, true)}</div>\n`;
}
