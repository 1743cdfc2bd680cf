/** Loads a part of the page that is not needed at once, such as what one tab computes. */
export function lazily<Part>(load: () => Promise<Part>): () => Promise<Part> {
  return () =>
    load().catch(() => {
      throw new Error('This needs a part of the page that could not be loaded. Reload the page when you are online.');
    });
}
