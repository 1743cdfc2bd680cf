/** Offers bytes to the user as a file. */
export function download(name: string, parts: BlobPart, type: string): void {
  const url = URL.createObjectURL(new Blob([parts], { type }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  // By then the browser has started to read it.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
