/** A photograph that comes with the page. */
export interface Sample {
  readonly name: string;
  readonly title: string;
  /** The file in the folder of samples. */
  readonly file: string;
  /** Whether it is noisy or damaged by itself, so that there is no clean picture to compare with. */
  readonly flawed?: boolean;
  /** The file that marks its missing pixels. */
  readonly mask?: string;
}

/** The photographs that come with the page, all CC0, in the order shown. */
export const samples: readonly Sample[] = [
  { name: 'nagasaki-boats', title: 'Boats at Nagasaki', file: 'nagasaki-boats.png' },
  { name: 'dust-bowl-home', title: 'Dust Bowl home', file: 'dust-bowl-home.png' },
  { name: 'airplane-from-above', title: 'Airplane from above', file: 'airplane-from-above.png' },
  { name: 'french-alpine-landscape', title: 'French Alps', file: 'french-alpine-landscape.png' },
  { name: 'black-canyon', title: 'Black Canyon, in its tone', file: 'black-canyon.png' },
  { name: 'march-pastoral', title: 'March pastoral, in its tone', file: 'march-pastoral.png' },
  {
    name: 'black-canyon-camera',
    title: 'Black Canyon, simulated camera noise, JPEG',
    file: 'black-canyon-camera.jpg',
    flawed: true,
  },
  {
    name: 'march-pastoral-night',
    title: 'March pastoral, simulated night shot, JPEG',
    file: 'march-pastoral-night.jpg',
    flawed: true,
  },
  {
    name: 'scratched-print',
    title: 'A print with simulated scratches',
    file: 'scratched-print.png',
    flawed: true,
    mask: 'scratched-print-mask.png',
  },
];

/** The sample that shows best what a tab does. */
export function exampleFor({ tab, restore }: { readonly tab: string; readonly restore: string }): string {
  if (tab === 'denoise') return 'black-canyon-camera';
  if (tab !== 'restore') return 'nagasaki-boats';
  return restore === 'inpaint' ? 'scratched-print' : 'dust-bowl-home';
}

/** Whether a sample has a clean picture, to which noise can be added as an experiment; files of the user are denoised as they are. */
export function isClean(name: string): boolean {
  return samples.some((sample) => sample.name === name && !sample.flawed);
}
