// The menu: the pages of docs/ in the order in which they are read.
export const menu = [
  { title: 'Start', pages: ['quick-start', 'command', 'library', 'studio', 'gallery', 'coming-from'] },
  {
    title: 'Guides',
    pages: [
      'represent',
      'denoising',
      'photographs',
      'series',
      'restoration',
      'inpainting',
      'deblurring',
      'upscaling',
      'learning',
    ],
  },
  { title: 'Files and scale', pages: ['files', 'scale', 'scale-queue', 'serve', 'gpu'] },
  {
    title: 'Background',
    pages: [
      'researchers',
      'choosing',
      'mathematics',
      'results',
      'performance',
      'reproduction',
      'reliability',
      'inside',
      'background',
    ],
  },
];

/** The menu with the pages that there are; a page that it does not name comes last. */
export function menuOf(docs) {
  const named = new Set(menu.flatMap(({ pages }) => pages));
  const rest = docs.filter((name) => !named.has(name));
  const sections = [...menu, { title: 'Project', pages: rest }];
  return sections.map(({ title, pages }) => ({ title, pages: pages.filter((name) => docs.includes(name)) }));
}
