// The figure of the front page: the photograph is represented again whenever the slider moves, by the library itself.
import { drawHeatmap, fromInterleaved, represent, toInterleaved } from './ght/ght.js';

const byId = (id) => document.getElementById(id);
const slider = byId('budget');

/** The photograph as an image of one plane. */
async function load() {
  const picture = new Image();
  picture.src = new URL('sample.png', import.meta.url).href;
  await picture.decode();
  const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d', { willReadFrequently: true });
  context.drawImage(picture, 0, 0);
  const { width, height, planes, peak } = fromInterleaved(context.getImageData(0, 0, picture.width, picture.height));
  return { width, height, planes: [planes[0]], peak };
}

function draw(id, { data, width, height }) {
  byId(id)
    .getContext('2d')
    .putImageData(new ImageData(data, width, height), 0, 0);
}

/** Both ways of spending the same number of atoms, with the same dictionary. */
async function show(image, perPatch) {
  const options = { budget: { perPatch }, dictionary: 'paper' };
  const joint = await represent(image, { ...options, solver: 'joint-omp' });
  const even = await represent(image, { ...options, solver: 'omp' });
  const { width, height } = image;
  const atoms = { width, height, planes: [0, 1, 2].map(() => new Uint8Array(width * height)), peak: 255 };
  drawHeatmap(joint).forEach((value, i) => {
    atoms.planes[i % 3][Math.floor(i / 3)] = value;
  });
  draw('joint', toInterleaved(joint.image, { channels: 4 }));
  draw('even', toInterleaved(even.image, { channels: 4 }));
  draw('atoms', toInterleaved(atoms, { channels: 4 }));
  byId('joint-psnr').value = `${joint.psnr.toFixed(1)} dB`;
  byId('even-psnr').value = `${even.psnr.toFixed(1)} dB`;
  byId('most').value = `${Math.min(...joint.atomsPerPatch)} to ${Math.max(...joint.atomsPerPatch)} per patch`;
}

let running = false;
/** Shows the budget of the slider; while it is computed, only the last move counts. */
async function update(image) {
  byId('budget-shown').value = slider.value;
  if (running) return;
  running = true;
  let shown;
  while (shown !== slider.value) {
    shown = slider.value;
    await show(image, Number(shown));
  }
  running = false;
}

try {
  const image = await load();
  slider.addEventListener('input', () => update(image));
  await update(image);
  document.body.dataset.figure = 'ready';
} catch (error) {
  byId('live-status').textContent = `The figure needs WebAssembly and a canvas: ${error.message}`;
}
