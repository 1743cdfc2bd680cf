/**
 * Images beyond one memory: sources, sinks, plans and runners.
 *
 * @module ght-tiles
 */

export type { DenoiseLargeOptions } from './denoise-large.js';
export { denoiseLarge } from './denoise-large.js';
export type { DenoisedTiles, DenoiseRequest } from './denoise-plan.js';
export { denoisePlan } from './denoise-plan.js';
export type { TileSize } from './denoise-tiles.js';
export { denoiseTileSize } from './denoise-tiles.js';
export { runHere } from './here.js';
export type { MemorySink } from './memory.js';
export { memoryScratch, memorySink, memorySource, pictureOf } from './memory.js';
export type { Picture, Rectangle } from './picture.js';
export type { Data, Job, Pass, Places, Plan, Runner, RunProgress, RunWatch, Scratch } from './plan.js';
export type { RepresentLargeOptions } from './represent-large.js';
export { representLarge } from './represent-large.js';
export type { RepresentedTiles, RepresentRequest } from './represent-plan.js';
export { representPlan } from './represent-plan.js';
export type { Sink } from './sink.js';
export type { Source } from './source.js';
export type { CodesLayout, CodesStore, CodesStoreOptions, CodesTile } from './stores/codesStore.js';
export { codesStore, openCodes } from './stores/codesStore.js';
export { decodeData, encodeData } from './stores/data.js';
export type { FilePlacesOptions } from './stores/filePlaces.js';
export { filePlaces } from './stores/filePlaces.js';
export { folderScratch } from './stores/folderScratch.js';
export type { JoinOptions } from './stores/joinTiff.js';
export { joinTiff } from './stores/joinTiff.js';
export { openSource, pictureIn } from './stores/openSource.js';
export type { SourceOptions } from './stores/sourceOptions.js';
export { tiffSource } from './stores/tiffSource.js';
export type { ZarrSinkOptions } from './stores/zarrSink.js';
export { zarrSink } from './stores/zarrSink.js';
export { zarrSource } from './stores/zarrSource.js';
