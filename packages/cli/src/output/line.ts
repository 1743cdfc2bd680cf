/** Prints the one line that an error deserves. */
export function say(message: string): void {
  process.stderr.write(`ght: ${oneLine(message)}\n`);
}

/** The text in one line: escaped, since a file name may hold line breaks and what a terminal takes for commands. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
