/** WebGPU in Node: the npm package `webgpu`, which is imported only when a GPU is asked for. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { env, platform } from 'node:process';
import type { Host } from './host.js';

/** Dawn's object must stay referenced, or its adapters end with it. */
let found: Promise<Host> | undefined;

/** Where WebGPU is found. Node's own comes first, for a version that has one. */
export function findHost(): Promise<Host> {
  found ??= find();
  return found;
}

async function find(): Promise<Host> {
  const own = globalThis.navigator?.gpu;
  if (own) return { gpu: own };
  // Without it the package finds no adapter, and writes that on standard error, which is not its place.
  if (platform === 'linux' && !hasLibrary(VULKAN)) return { reason: `there is no Vulkan loader (${VULKAN})` };
  if (platform === 'linux' && !hasDriver()) return { reason: 'there is no Vulkan driver for a GPU' };
  try {
    const { create, globals } = await import('webgpu');
    // The constants of WebGPU (GPUBufferUsage and so on) are globals in browsers, and this package expects them so.
    for (const [name, value] of Object.entries(globals))
      if (!(name in globalThis)) Object.assign(globalThis, { [name]: value });
    return { gpu: create([]) };
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
    const reason = missing
      ? 'the package webgpu is not installed (npm install webgpu)'
      : `webgpu: ${(error as Error).message}`;
    return { reason };
  }
}

/** The Vulkan loader, by the name that the package looks for. */
const VULKAN = 'libvulkan.so.1';
/** Where the dynamic linker looks by default. */
const FOLDERS = ['/lib', '/usr/lib', '/lib64', '/usr/lib64', '/usr/local/lib', '/run/opengl-driver/lib'];
const CACHE = '/etc/ld.so.cache';

/** Whether the dynamic linker of Linux finds a library: in the given folders, in its own, or by its cache. */
function hasLibrary(name: string): boolean {
  const given = (env.LD_LIBRARY_PATH ?? '').split(/[:;]/).filter(Boolean);
  if ([...given, ...FOLDERS].some((folder) => existsSync(join(folder, name)))) return true;
  return existsSync(CACHE) && readFileSync(CACHE).includes(name);
}

/** Whether a Vulkan driver is named in the environment or described in a folder where the Vulkan loader looks. */
function hasDriver(): boolean {
  if (env.VK_DRIVER_FILES || env.VK_ICD_FILENAMES || env.VK_ADD_DRIVER_FILES) return true;
  const home = homedir();
  const roots = [
    env.XDG_CONFIG_HOME || join(home, '.config'),
    ...(env.XDG_CONFIG_DIRS || '/etc/xdg').split(':'),
    '/etc',
    env.XDG_DATA_HOME || join(home, '.local/share'),
    ...(env.XDG_DATA_DIRS || '').split(':'),
    '/usr/local/share',
    '/usr/share',
    '/run/opengl-driver/share',
  ].filter(Boolean);
  return roots.some((root) => {
    const folder = join(root, 'vulkan/icd.d');
    return existsSync(folder) && readdirSync(folder).some((name) => name.endsWith('.json'));
  });
}
