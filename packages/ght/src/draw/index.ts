/**
 * Pictures of results: the atoms of a dictionary, and where an image uses many atoms.
 *
 * @module ght/draw
 */

export { type AtomCounts, heatmap } from '../measures/heatmap.js';
export { drawAtoms } from './atoms.js';
export { drawContactSheet, type SheetCell, sheetCell } from './contact-sheet.js';
export { drawHeatmap, heatColour } from './heatmap.js';
