/** The experiments by name, in the order of the paper, and the part of the paper that each repeats; the last two go beyond it. */
export const catalogue = {
  'two-patches': { paper: 'Figure 1', title: 'Two patches, eight atoms' },
  heatmap: { paper: 'Figure 2', title: 'Where the budget goes' },
  synthetic: { paper: 'Figure 3', title: 'Recovery of synthetic signals' },
  megapixel: { paper: 'Figures 4 and 5', title: 'Sparse representation of whole images' },
  'close-up': { paper: 'Figure 6', title: 'A close-up of OMP and GHT-QPM' },
  million: { paper: 'Figure 7', title: 'Run time on up to a million patches' },
  convergence: { paper: 'Figure 8', title: 'Convergence' },
  denoising: { paper: 'Tables 1 to 3, Figure 9', title: 'Denoising' },
  rho: { paper: 'Section 3', title: 'How much depends on ρ' },
  learning: { paper: 'Beyond the paper', title: 'Learning the dictionary' },
  inpainting: { paper: 'Section 4', title: 'Inpainting under one global budget' },
} as const;

/** The name of an experiment. */
export type ExperimentName = keyof typeof catalogue;

/** The names of all experiments. */
export const experimentNames = Object.keys(catalogue) as ExperimentName[];
