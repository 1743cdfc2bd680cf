/**
 * Images beyond one memory: sources, sinks, plans and runners.
 *
 * @module ght-tiles
 */

export type { DenoiseLargeOptions } from './denoise-large.js';
export { denoiseLarge } from './denoise-large.js';
export { type DenoiseStackOptions, denoiseStackParts } from './denoise-stack.js';
export type { DenoiseRequest, TileSize } from './denoise-task.js';
export { denoiseTask, denoiseTileSize } from './denoise-task.js';
export type { MemorySink } from './memory.js';
export { memoryScratch, memorySink, memorySource, pictureOf } from './memory.js';
export type { Picture, Rectangle } from './picture.js';
export type { ImageNames, Places, RemoteTask, TiledTask } from './plan.js';
export { tiledTask } from './plan.js';
export type { RepresentLargeOptions } from './represent-large.js';
export { representLarge } from './represent-large.js';
export type { RepresentRequest } from './represent-task.js';
export { representTask } from './represent-task.js';
export type { RestoreLargeOptions } from './restore-large.js';
export { restoreLarge } from './restore-large.js';
export type { RestoreRequest, RestoreTask } from './restore-task.js';
export { restoredPicture, restoreTask } from './restore-task.js';
export type { Sink } from './sink.js';
export type { Source } from './source.js';
export { isStackAxes } from './stacks/npy-stack.js';
export { framesStack, openStack, type StackOptions } from './stacks/open-stack.js';
export type { PageParts } from './stacks/stack-parts.js';
export type { StackFacts, StackFormat, StackSource } from './stacks/stack-source.js';
export { type WritePartsOptions, writeStackInParts } from './stacks/write-parts.js';
export {
  type HasPage,
  stackExtensions,
  type WritePage,
  type WriteStackOptions,
  writeStack,
} from './stacks/write-stack.js';
export type { CodesLayout, CodesStore, CodesStoreOptions, CodesTile } from './stores/codes-store.js';
export { codesStore, openCodes } from './stores/codes-store.js';
export { decodeData, encodeData } from './stores/data.js';
export type { FilePlacesOptions } from './stores/file-places.js';
export { filePlaces } from './stores/file-places.js';
export { folderScratch } from './stores/folder-scratch.js';
export type { JoinOptions } from './stores/join-tiff.js';
export { joinTiff } from './stores/join-tiff.js';
export { openSource, pictureIn } from './stores/open-source.js';
export type { SourceOptions } from './stores/source-options.js';
export { tiffSource } from './stores/tiff-source.js';
export type { ZarrSinkOptions } from './stores/zarr-sink.js';
export { zarrSink } from './stores/zarr-sink.js';
export { zarrSource } from './stores/zarr-source.js';
