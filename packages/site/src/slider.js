// Two pictures of one thing, the first on the left of a line that can be dragged, or moved by the arrow keys.
import { escapeHtml } from './html.js';

/** `before` and `after` are pictures with `src`, `alt` and perhaps a style; assets/site.js moves the line. */
export function slider(before, after, label, ratio) {
  const picture = ({ src, alt, style }, name) => {
    const styled = style ? ` style="${style}"` : '';
    return `<span class="${name}"><img src="${src}" alt="${escapeHtml(alt)}"${styled}></span>`;
  };
  return `<div class="before-after" style="--line: 50%${ratio ? `; aspect-ratio: ${ratio}` : ''}">
${picture(after, 'after')}
${picture(before, 'before')}
<span class="line" aria-hidden="true"></span>
<span class="tag left" aria-hidden="true">before</span><span class="tag right" aria-hidden="true">after</span>
<input type="range" min="0" max="100" value="50" aria-label="${escapeHtml(label)}">
</div>`;
}
