/** Texts from Redis, from other machines and from file names, as they may be printed. */

const [ESC, BEL, ST] = ['\u001b', '\u0007', '\u009c'];
/** Escape sequences of terminals: control sequences, strings such as titles and links, and those of a few characters. */
const ESCAPES = new RegExp(
  [
    `(?:${ESC}\\[|\u009b)[0-?]*[ -/]*[@-~]`,
    `(?:${ESC}[\\]PX^_]|[\u0090\u0098\u009d-\u009f])[^${BEL}${ESC}${ST}]*(?:${BEL}|${ESC}\\\\|${ST})?`,
    `${ESC}[ -/]*[0-~]?`,
  ].join('|'),
  'g',
);
/** Control characters, line separators, and marks that change the direction of what follows. */
const CONTROLS = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu;
/** The most characters of a text that is printed. */
const LONGEST = 500;

/** The text in one line, without escape sequences and control characters, cut where it is too long. */
export function printable(text: string, longest = LONGEST): string {
  const clean = text
    .slice(0, 4 * longest)
    .replace(ESCAPES, '')
    .replace(CONTROLS, ' ')
    .trim();
  return clean.length > longest ? `${clean.slice(0, longest)}…` : clean;
}
