/** What only exports need, in a part of the page that is loaded with the first of them. */
export { asCode, asCommand } from '../settings/asCommand.js';
export { divided, sideBySide, single } from './figure.js';
export { plotSvg } from './plotSvg.js';
export { tableCsv, tableLatex } from './tables.js';
