/** One request: its files go to a folder of their own, the command runs there, and the result comes back as bytes. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InputError, isGhtError, ResourceError } from 'ght';
import { formatOfContent } from 'ght-images';
import { readHeader } from 'ght-images/node';
import { programOf, runWithin } from '../main.js';
import { argumentsOf, type Fields, fieldsOf, formatFor } from './arguments.js';
import { formats, IMAGE, operations } from './operations.js';
import type { JobRequest, JobResult } from './protocol.js';

/** Runs a job. */
export async function runJob(request: JobRequest, signal: AbortSignal): Promise<JobResult> {
  const { operation, query, type, accept, body } = request;
  const fields = await fieldsOf(query, type, body);
  const folder = await mkdtemp(join(tmpdir(), 'ght-serve-'));
  try {
    return await runIn(folder, request, fields, formatFor(fields, accept), signal);
  } catch (error) {
    // The folder is of no use to the client, and not for its eyes.
    if (!isGhtError(error)) throw error;
    error.message = error.message.replaceAll(join(folder, '/'), '').replaceAll(folder, operation);
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runIn(
  folder: string,
  { operation, mostPixels, threads }: JobRequest,
  fields: Fields,
  asked: string | undefined,
  signal: AbortSignal,
): Promise<JobResult> {
  const command = programOf().commands.find((each) => each.name() === operation);
  if (!command) throw new Error(`there is no command ${operation}`);
  // Names of fields become names of files only if they are known, which is checked first.
  const pathOf = (field: string) => join(folder, field);
  const paths = new Map([...fields.files.keys()].map((field) => [field, pathOf(field)]));
  const args = argumentsOf(operation, command, fields.values, paths);
  for (const [field, bytes] of fields.files) {
    await writeFile(pathOf(field), bytes, { mode: 0o600 });
    await checkPixels(field, pathOf(field), bytes, mostPixels, factorOf(fields));
  }
  const { image } = operations[operation];
  const format = asked ?? formatIn(fields);
  const output = join(folder, `result.${format}`);
  if (image) args.push(`--output=${output}`, `--threads=${threads}`);
  const printed: string[] = [];
  const context = { print: (text: string) => printed.push(text), note: () => {}, stopped: { note: '' }, signal };
  await runWithin([...args, '--json'], context);
  const report = withoutFolder(printed.join('\n'), folder);
  if (!image) return { report };
  return { report, image: { type: formats[format], bytes: new Uint8Array(await readFile(output)) } };
}

/** How many times as many pixels the result has. */
function factorOf({ values }: Fields): number {
  return Math.max(1, Number(values.get('factor') ?? 1)) ** 2 || 1;
}

/** Refuses an image by its header, before its pixels are unpacked. */
async function checkPixels(
  field: string,
  path: string,
  bytes: Uint8Array,
  most: number,
  factor: number,
): Promise<void> {
  const parameter = field === IMAGE ? 'IMAGE' : `--${field}`;
  const header = await readHeader(path);
  if (!header) {
    // The pages of a TIFF could be any number of large images; other formats without a header are those of the reader.
    if (formatOfContent(bytes) !== 'tiff') return;
    throw new InputError(parameter, 'must be an intact TIFF of one page', field, 'send the pages one by one');
  }
  const { width, height } = header;
  if (factor * width * height <= most) return;
  const rule = `must have at most ${most} pixels${factor > 1 ? ' when it is enlarged' : ''}`;
  throw new ResourceError(parameter, rule, `${width}×${height}`, 'send a smaller image');
}

/** The format of the image. */
function formatIn({ files }: Fields): string {
  const format = formatOfContent(files.get(IMAGE) as Uint8Array);
  const name = format === 'jpeg' ? 'jpg' : format;
  if (name !== undefined && Object.hasOwn(formats, name)) return name;
  const rule = `must be of a format that is written (${Object.keys(formats).join(', ')})`;
  throw new InputError('IMAGE', rule, format ?? 'bytes', 'convert it, or ask for a format');
}

function withoutFolder(text: string, folder: string): string {
  return text.replaceAll(join(folder, '/'), '');
}
