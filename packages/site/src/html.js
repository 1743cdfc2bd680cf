/** A text as it is written in HTML. */
export function escapeHtml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** The words of a piece of HTML. A formula counts once, as it is written. */
export function wordsOf(html) {
  const text = html
    .replace(/<!--formula-->[\s\S]*?<annotation[^>]*>([\s\S]*?)<\/annotation>[\s\S]*?<!--\/formula-->/g, '$1')
    .replace(/<a class="anchor".*?<\/a>/g, '')
    .replace(/<\/?(?:code|em|strong|a|span)\b[^>]*>/g, '')
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
