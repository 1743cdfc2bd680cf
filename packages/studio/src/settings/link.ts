import { solverNames as solvers } from 'ght';
import { samples } from '../image/samples.js';
import { defaults, dictionaries, factors, limits, oldDefaults, type Settings, usualNoise } from './settings.js';

const oneOf = (names: readonly string[]) => (text: string) => (names.includes(text) ? text : undefined);
const numberIn =
  ([least, most]: readonly [number, number]) =>
  (text: string) => {
    const value = Number(text);
    return text.trim() !== '' && value >= least && value <= most ? value : undefined;
  };

/** What a link says of a file of the user's own. */
const OWN = 'own';

/** How each setting is read from the text of a link; undefined if the text is invalid. */
const readers: { readonly [K in keyof Settings]: (text: string) => unknown } = {
  tab: oneOf(['start', 'learn', 'represent', 'compare', 'denoise', 'restore']),
  engine: oneOf(['auto', 'webgpu', 'wasm']),
  image: (text) => (text === OWN ? '' : oneOf(samples.map(({ name }) => name))(text)),
  goal: oneOf(['atoms', 'psnr']),
  s: numberIn(limits.s),
  psnr: numberIn(limits.psnr),
  solver: oneOf(solvers),
  dictionary: oneOf(Object.keys(dictionaries)),
  rho: numberIn(limits.rho),
  stride: (text) => [8, 4, 2].find((stride) => String(stride) === text),
  refit: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  overlay: oneOf(['none', 'heatmap', 'error', 'removed']),
  zoom: numberIn(limits.zoom),
  x: numberIn(limits.x),
  y: numberIn(limits.y),
  divider: numberIn(limits.divider),
  patch: (text) => (/^\d{1,6},\d{1,6}$/.test(text) ? text : undefined),
  left: oneOf(['original', ...solvers]),
  right: oneOf(['original', ...solvers]),
  noise: numberIn(limits.noise),
  sigma: (text) => (text === 'auto' ? 'auto' : numberIn(limits.sigma)(text)),
  strength: numberIn(limits.strength),
  strengthChroma: numberIn(limits.strengthChroma),
  quality: oneOf(['fast', 'balanced', 'best', 'learned', 'finest']),
  restore: oneOf(['inpaint', 'deblur', 'upscale']),
  kernel: oneOf(['auto', 'gaussian', 'disk', 'motion', 'drawn']),
  blur: numberIn(limits.blur),
  radius: numberIn(limits.radius),
  length: numberIn(limits.length),
  angle: numberIn(limits.angle),
  blurNoise: (text) => (text === 'auto' ? 'auto' : numberIn(limits.blurNoise)(text)),
  factor: (text) => factors.find((factor) => String(factor) === text),
  restoreQuality: oneOf(['fast', 'balanced', 'best', 'learned']),
  step: (text) => [1, 2, 3, 4, 5, 6, 7].find((step) => String(step) === text),
};

/** A link begins with it, because other defaults applied before. */
const VERSION = 'v=2';

/** The settings as the hash of a link. Only those that differ from the defaults are included, so that links stay short. */
export function toHash(settings: Settings): string {
  const usual = { ...defaults, noise: usualNoise(settings.image) };
  const parts = (Object.keys(readers) as (keyof Settings)[])
    .filter((key) => settings[key] !== usual[key] && settings[key] !== null)
    .map(
      (key) => `${key}=${encodeURIComponent(settings[key] === '' ? OWN : String(settings[key])).replace('%2C', ',')}`,
    );
  return parts.length === 0 ? '' : `#${[VERSION, ...parts].join('&')}`;
}

/** The settings in a hash; missing or invalid ones get their defaults. */
export function fromHash(hash: string): Settings {
  const found: Record<string, unknown> = {};
  const text = hash.replace(/^#/, '');
  for (const [key, given] of new URLSearchParams(text)) {
    if (!Object.hasOwn(readers, key)) continue;
    const value = readers[key as keyof Settings](given);
    if (value !== undefined) found[key] = value;
  }
  const old = text !== '' && !text.startsWith(VERSION);
  const missing = old ? oldDefaults : defaults;
  const { image } = { ...missing, ...found };
  return { ...missing, noise: usualNoise(image), ...found };
}

/** The settings as a small JSON file. */
export function toJson(settings: Settings): string {
  return `${JSON.stringify({ ght: 'studio settings', ...settings }, null, 2)}\n`;
}

/** The settings in such a file; undefined if it is not one. */
export function fromJson(text: string): Settings | undefined {
  try {
    const given = JSON.parse(text);
    if (given?.ght !== 'studio settings') return undefined;
    const entries = Object.entries(given).filter(([key, value]) => Object.hasOwn(readers, key) && value !== null);
    const texts = entries.map(([key, value]) => [key, value === '' ? OWN : String(value)]);
    return fromHash(`${VERSION}&${new URLSearchParams(texts)}`);
  } catch {
    return undefined;
  }
}
