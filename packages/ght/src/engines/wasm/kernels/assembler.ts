/**
 * A small assembler for WebAssembly, so that kernels can be written for the shape of a problem at hand: values are
 * expressions with the operations of their type as methods, statements are methods of the function being built.
 *
 *     module.fn('sum', ['i32', 'i32'], 'f32', (f) => {
 *       const [from, count] = f.parameters as [I32, I32];
 *       const sum = f.f32(0);
 *       f.count(count, (i) => sum.set(sum.add(from.add(i.shl(2)).f32())));
 *       f.return(sum);
 *     });
 */
import { type Code, F32, F64, I32, I64, TYPE_CODE, unsigned, V128, type Value, type ValueType } from './values.js';

export { F32, F64, I32, I64, mask16, V128 } from './values.js';

interface Types {
  i32: I32;
  i64: I64;
  f32: F32;
  f64: F64;
  v128: V128;
}
const CLASS = { i32: I32, i64: I64, f32: F32, f64: F64, v128: V128 } as const;

/** A function being built. */
export class Fn {
  readonly parameters: Value[];
  private readonly locals: ValueType[] = [];
  private body: number[] = [];

  constructor(
    readonly name: string,
    readonly types: readonly ValueType[],
    readonly result?: ValueType,
    /** Its number in the module, by which others call it. */
    readonly index = -1,
  ) {
    this.parameters = types.map((type, i) => this.variable(type, i));
  }

  private variable<T extends ValueType>(type: T, index: number): Types[T] {
    const set = (value: Code) => this.push([...value, 0x21, ...unsigned(index)]);
    return new CLASS[type]([0x20, ...unsigned(index)], set) as Types[T];
  }

  private local<T extends ValueType>(type: T, value?: Types[T] | number): Types[T] {
    this.locals.push(type);
    const local = this.variable(type, this.types.length + this.locals.length - 1);
    if (value !== undefined) (local as Value).set(value as Value);
    return local;
  }
  i32 = (value?: I32 | number) => this.local('i32', value);
  i64 = (value?: I64 | number) => this.local('i64', value);
  f32 = (value?: F32 | number) => this.local('f32', value);
  f64 = (value?: F64 | number) => this.local('f64', value);
  v128 = (value?: V128) => this.local('v128', value);
  /** Several integers, all zero where they are declared. */
  words = (count: number) => Array.from({ length: count }, () => this.i32());
  /** Several vectors, all zero where they are declared. */
  vectors = (count: number) => Array.from({ length: count }, () => this.v128());

  push(code: Code): void {
    for (const byte of code) this.body.push(byte);
  }

  /** do { … } while (condition) */
  repeat(body: () => void, condition: I32): void {
    this.push([0x03, 0x40]);
    body();
    this.push([...condition.code, 0x0d, 0, 0x0b]);
  }
  /** while (condition) { … } */
  while(condition: I32, body: () => void): void {
    this.if(condition, () => this.repeat(body, condition));
  }
  /** for (i = 0; i < n; i++) { … } */
  count(n: I32 | number, body: (i: I32) => void): void {
    const i = this.i32(0);
    this.while(i.lt(n), () => {
      body(i);
      i.set(i.add(1));
    });
  }
  if(condition: I32, then: () => void, otherwise?: () => void): void {
    this.push([...condition.code, 0x04, 0x40]);
    then();
    if (otherwise) {
      this.push([0x05]);
      otherwise();
    }
    this.push([0x0b]);
  }
  /** Calls a function without a result. */
  call(callee: Fn, ...args: Value[]): void {
    this.push([...args.flatMap((arg) => arg.code), 0x10, ...unsigned(callee.index)]);
  }
  /** Calls a function for its value. */
  value<T extends ValueType>(callee: Fn & { readonly result?: T }, ...args: Value[]): Types[T] {
    const type = callee.result as T;
    return new CLASS[type]([...args.flatMap((arg) => arg.code), 0x10, ...unsigned(callee.index)]) as Types[T];
  }
  return(value: Value): void {
    this.push([...value.code, 0x0f]);
  }

  store(at: I32, value: I32 | I64 | F32 | F64 | V128, offset = 0): void {
    const opcode =
      value instanceof I32
        ? [0x36, 2]
        : value instanceof I64
          ? [0x37, 2]
          : value instanceof F32
            ? [0x38, 2]
            : value instanceof F64
              ? [0x39, 3]
              : [0xfd, 0x0b, 2];
    this.push([...at.code, ...value.code, ...opcode, ...unsigned(offset)]);
  }
  store8 = (at: I32, value: I32, offset = 0) => this.push([...at.code, ...value.code, 0x3a, 0, ...unsigned(offset)]);
  store16 = (at: I32, value: I32, offset = 0) => this.push([...at.code, ...value.code, 0x3b, 1, ...unsigned(offset)]);
  /** Stores the first lane alone. */
  storeLane = (at: I32, value: V128, offset = 0) =>
    this.push([...at.code, ...value.code, 0xfd, ...unsigned(0x5a), 2, ...unsigned(offset), 0]);

  /** The function as the code section has it. */
  encode(): number[] {
    const locals = this.locals.flatMap((type) => [1, TYPE_CODE[type]]);
    // A function with a result ends by returning it; what follows is never reached.
    const end = this.result ? [0x00, 0x0b] : [0x0b];
    return [...unsigned(this.locals.length), ...locals].concat(this.body, end);
  }
}

/** A module being built: functions over one imported memory, `env.memory`. */
export class Module {
  readonly functions: Fn[] = [];

  /** Adds a function; `build` fills it in. */
  fn(name: string, types: readonly ValueType[], result: ValueType | undefined, build: (f: Fn) => void): Fn {
    const f = new Fn(name, types, result, this.functions.length);
    this.functions.push(f);
    build(f);
    return f;
  }

  /** The module's bytes; its memory may be shared between threads. */
  bytes(shared: boolean): Uint8Array<ArrayBuffer> {
    return assemble(this.functions, shared);
  }
}

function assemble(functions: readonly Fn[], shared: boolean): Uint8Array<ArrayBuffer> {
  const text = (value: string) => list([...new TextEncoder().encode(value)].map((byte) => [byte]));
  const limits = shared ? [3, ...unsigned(1), ...unsigned(65536)] : [0, ...unsigned(1)];
  const types = functions.map(({ types, result }) => [
    0x60,
    ...list(types.map((type) => [TYPE_CODE[type]])),
    ...list(result ? [[TYPE_CODE[result]]] : []),
  ]);
  const sections: [id: number, body: number[]][] = [
    [1, list(types)],
    [2, list([[...text('env'), ...text('memory'), 2, ...limits]])],
    [3, list(functions.map((_, i) => unsigned(i)))],
    [7, list(functions.map(({ name }, i) => [...text(name), 0, ...unsigned(i)]))],
  ];
  const parts: (readonly number[])[] = [[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]];
  for (const [id, body] of sections) parts.push([id, ...unsigned(body.length)], body);
  // The code is most of the bytes, so it is copied as a whole.
  const bodies = functions.map((f) => f.encode()).flatMap((body) => [unsigned(body.length), body]);
  const count = unsigned(functions.length);
  parts.push([10, ...unsigned(count.length + lengthOf(bodies))], count, ...bodies);
  const bytes = new Uint8Array(lengthOf(parts));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function lengthOf(parts: readonly (readonly number[])[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

function list(items: readonly (readonly number[])[]): number[] {
  const out = unsigned(items.length);
  for (const item of items) for (const byte of item) out.push(byte);
  return out;
}
