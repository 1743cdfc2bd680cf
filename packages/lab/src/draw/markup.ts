/** Text that is already HTML. Everything else is escaped when it is put into a page. */
export interface Markup {
  readonly markup: string;
}

/** What a template accepts: text and numbers, markup, and lists of these. Absent values add nothing. */
export type Content = string | number | Markup | null | undefined | false | readonly Content[];

/** A template of HTML that escapes its values, so that no file name can become markup. */
export function html(parts: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  return { markup: parts.reduce((text, part, i) => text + rendered(contents[i - 1]) + part) };
}

/** Escapes the characters that would end a text or an attribute in HTML and XML. */
export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function rendered(content: Content): string {
  if (content === null || content === undefined || content === false) return '';
  if (typeof content === 'string') return escapeText(content);
  if (typeof content === 'number') return String(content);
  return 'markup' in content ? content.markup : content.map(rendered).join('');
}
