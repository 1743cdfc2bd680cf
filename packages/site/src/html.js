/** A text as it is written in HTML. */
export function escapeHtml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** The words of a piece of HTML. */
export function wordsOf(html) {
  const text = html
    .replace(/<annotation[\s\S]*?<\/annotation>|<span class="katex-html"[\s\S]*?<\/math>/g, ' ')
    .replace(/<[^>]+>/g, ' ');
  const plain = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
  return plain.replace(/\s+/g, ' ').trim();
}

/** The anchor of a heading, as GitHub names it. */
export function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}
