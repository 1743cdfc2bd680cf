/** From the fields of a request to the arguments of a command. */
import type { Command } from 'commander';
import { InputError, OptionError } from 'ght';
import { FORMAT, formats, IMAGE, type Operation, operations } from './operations.js';

/** The fields of a request: plain values, and files with their bytes. */
export interface Fields {
  readonly values: ReadonlyMap<string, string>;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** The fields of a query and a body, which is a form or the image itself. */
export async function fieldsOf(
  query: readonly (readonly [string, string])[],
  type: string,
  body: Uint8Array,
): Promise<Fields> {
  const values = new Map<string, string>();
  const files = new Map<string, Uint8Array>();
  const add = <T>(to: Map<string, T>, name: string, value: T) => {
    if (values.has(name) || files.has(name))
      throw new OptionError(name, 'must be given once', name, 'remove the others');
    to.set(name, value);
  };
  for (const [name, value] of query) add(values, name, value);
  if (!/^multipart\/form-data\b/i.test(type)) {
    if (body.length > 0) files.set(IMAGE, body);
    return { values, files };
  }
  for (const [name, value] of await formIn(type, body)) {
    if (typeof value === 'string') add(values, name, value);
    else add(files, name, new Uint8Array(await value.arrayBuffer()));
  }
  return { values, files };
}

async function formIn(type: string, body: Uint8Array): Promise<FormData> {
  try {
    return await new Response(body as Uint8Array<ArrayBuffer>, { headers: { 'Content-Type': type } }).formData();
  } catch (cause) {
    throw new InputError('the body', 'must be a valid multipart/form-data', type, 'send it again', { cause });
  }
}

/** The arguments for a command: plain values, and the paths of the files, of which one is the image. */
export function argumentsOf(
  name: string,
  command: Command,
  values: ReadonlyMap<string, string>,
  paths: ReadonlyMap<string, string>,
): string[] {
  const operation = operations[name];
  const image = paths.get(IMAGE);
  if (image === undefined) throw new InputError('IMAGE', 'must be given', 'nothing', `send it as ${IMAGE}`);
  const args = [name, image];
  for (const [field, value] of values) {
    if (field === FORMAT) continue;
    const flag = flagOf(field, operation);
    if (!operation.options.includes(field) && !operation.words?.[field]?.test(value)) {
      throw new OptionError(flag, 'must be a file or one of its words', value, 'send a file, as multipart/form-data');
    }
    const option = command.options.find(({ long }) => long === flag);
    if (option?.isBoolean()) args.push(...switched(flag, value));
    else args.push(`${flag}=${value}`);
  }
  for (const [field, path] of paths) {
    if (field === IMAGE) continue;
    const flag = flagOf(field, operation);
    if (!operation.files.includes(field)) {
      throw new OptionError(flag, 'must be a plain value', 'a file', 'send it as text');
    }
    args.push(`${flag}=${path}`);
  }
  return args;
}

function flagOf(field: string, { options, files }: Operation): string {
  const known = [...options, ...files];
  if (!known.includes(field)) {
    const rule = 'must be an option of this operation';
    throw new OptionError(
      field.slice(0, 40),
      rule,
      field.slice(0, 40),
      `the options are ${[...known, FORMAT].join(', ')}`,
    );
  }
  return `--${field}`;
}

function switched(flag: string, value: string): string[] {
  if (value === 'false') return [];
  if (value === 'true' || value === '') return [flag];
  throw new OptionError(flag, 'must be true or false', value, 'write it like float=true');
}

/** The format of the result that a request asks for; undefined for that of the image. */
export function formatFor({ values }: Fields, accept: string): string | undefined {
  const named = values.get(FORMAT);
  if (named !== undefined) {
    if (Object.hasOwn(formats, named)) return named;
    throw new OptionError('format', `must be one of ${Object.keys(formats).join(', ')}`, named, 'choose one of them');
  }
  const types = accept.split(',').map((part) => part.split(';')[0].trim().toLowerCase());
  const accepted = types.flatMap((type) => Object.keys(formats).filter((format) => formats[format] === type));
  return accepted[0];
}
