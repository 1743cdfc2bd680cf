/** Prints an error as one line. */
export function say(message: string): void {
  process.stderr.write(`ght: ${oneLine(message)}\n`);
}

/** The text as one line. Control characters are escaped, since a file name may contain line breaks and terminal commands. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
