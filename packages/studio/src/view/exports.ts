/** What only exports need, in a part of the page that is loaded with the first of them. */
export { zip } from 'ght/npy';
export { asCode, asCommand } from '../settings/as-command.js';
export { divided, sideBySide, single } from './figure.js';
export { plotSvg } from './plot-svg.js';
export { tableCsv, tableLatex } from './tables.js';
