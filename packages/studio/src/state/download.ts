/** Hands bytes to the user as a file. */
export function download(name: string, parts: BlobPart, type: string): void {
  const url = URL.createObjectURL(new Blob([parts], { type }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
