/** Text that is HTML already. Everything else is escaped on its way into a page. */
export interface Markup {
  readonly markup: string;
}

/** What may stand in a template: text and numbers, markup, lists of these; nothing is drawn for what is absent. */
export type Content = string | number | Markup | null | undefined | false | readonly Content[];

/** A template of HTML that escapes whatever is put into it, so that no name of a file can become markup. */
export function html(parts: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  return { markup: parts.reduce((text, part, i) => text + rendered(contents[i - 1]) + part) };
}

/** Escapes what would end a text or an attribute in HTML and in XML. */
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
