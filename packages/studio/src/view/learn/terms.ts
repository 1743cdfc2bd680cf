/** The words of the story, each with its meaning in one or two sentences. */
export const terms = {
  patch:
    'A small square of the picture, here 8 × 8 pixels. Patches are represented one by one or, better, all together.',
  atom: 'A pattern of the size of a patch. A patch is written as a sum of atoms, each multiplied by a number.',
  dictionary: 'The set of all atoms that may be used. It is the same for every patch.',
  coefficient: 'The number by which an atom is multiplied. An atom with a coefficient of zero is not used.',
  budget: 'The number of atoms that may be used: the number of coefficients that are not zero.',
  PSNR: 'Peak signal-to-noise ratio, in decibels (dB). More is better: 6 dB more is half the error.',
  OMP: 'Orthogonal matching pursuit: add the atom that fits best what is missing, fit all coefficients again, repeat.',
  threshold: 'The limit between large and small: coefficients below it are set to zero.',
  ρ: 'Rho, the weight of “stay close to what was kept” against “be close to the picture”. A large ρ makes small steps.',
  refit:
    'Least squares with the atoms that were kept: their coefficients are fitted once more, so that the error is as small as it can be with these atoms.',
  σ: 'Sigma, the standard deviation of the noise: about two thirds of the pixels change by less than this.',
  stride:
    'The number of pixels from one patch to the next. If it is smaller than the side of a patch, patches overlap, and each pixel is the mean of several.',
} as const;

/** A word that the story explains. */
export type TermName = keyof typeof terms;
