/** The photographs that come with the page, all CC0, in the order shown. */
export const samples = [
  { name: 'nagasaki-boats', title: 'Boats at Nagasaki' },
  { name: 'dust-bowl-home', title: 'Dust Bowl home' },
  { name: 'airplane-from-above', title: 'Airplane from above' },
  { name: 'french-alpine-landscape', title: 'French Alps' },
  { name: 'black-canyon', title: 'Black Canyon, in its tone' },
  { name: 'march-pastoral', title: 'March pastoral, in its tone' },
] as const;
