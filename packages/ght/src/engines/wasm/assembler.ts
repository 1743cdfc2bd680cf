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
type Code = readonly number[];

/** The types of values; v128 holds four float32. */
export type ValueType = 'i32' | 'i64' | 'f32' | 'f64' | 'v128';

const TYPE_CODE: Readonly<Record<ValueType, number>> = { i32: 0x7f, i64: 0x7e, f32: 0x7d, f64: 0x7c, v128: 0x7b };

/** An expression: the code that leaves a value on the stack. A local can also be set. */
abstract class Value {
  constructor(
    readonly code: Code,
    private readonly assign?: (value: Code) => void,
  ) {}

  /** Gives a local a new value. */
  set(value: this | number): void {
    if (!this.assign) throw new Error('only a local can be set');
    this.assign(typeof value === 'number' ? this.constant(value) : value.code);
  }

  /** The code of a constant of this type. */
  protected abstract constant(value: number): Code;

  protected with(other: Value | number, opcode: number): Code {
    return [...this.code, ...(typeof other === 'number' ? this.constant(other) : other.code), opcode];
  }
}

/** A 32-bit integer; as an address it can load what lies there, `offset` bytes on. */
export class I32 extends Value {
  static of(value: number): I32 {
    return new I32([0x41, ...signed(value)]);
  }
  protected constant(value: number): Code {
    return I32.of(value).code;
  }

  add(other: I32 | number) {
    return new I32(this.with(other, 0x6a));
  }
  sub(other: I32 | number) {
    return new I32(this.with(other, 0x6b));
  }
  mul(other: I32 | number) {
    return new I32(this.with(other, 0x6c));
  }
  and(other: I32 | number) {
    return new I32(this.with(other, 0x71));
  }
  or(other: I32 | number) {
    return new I32(this.with(other, 0x72));
  }
  shl(other: I32 | number) {
    return new I32(this.with(other, 0x74));
  }
  shr(other: I32 | number) {
    return new I32(this.with(other, 0x76));
  }
  eq(other: I32 | number) {
    return new I32(this.with(other, 0x46));
  }
  ne(other: I32 | number) {
    return new I32(this.with(other, 0x47));
  }
  /** Comparisons are unsigned: addresses and counts. */
  lt(other: I32 | number) {
    return new I32(this.with(other, 0x49));
  }
  gt(other: I32 | number) {
    return new I32(this.with(other, 0x4b));
  }
  le(other: I32 | number) {
    return new I32(this.with(other, 0x4d));
  }
  ge(other: I32 | number) {
    return new I32(this.with(other, 0x4f));
  }
  not() {
    return new I32([...this.code, 0x45]);
  }
  /** This where the condition holds, and the other elsewhere. */
  choose(condition: I32, other: number) {
    return new I32([...this.code, ...I32.of(other).code, ...condition.code, 0x1b]);
  }
  /** The number of the lowest bit that is set. */
  lowestBit() {
    return new I32([...this.code, 0x68]);
  }
  widen() {
    return new I64([...this.code, 0xad]);
  }

  i32(offset = 0) {
    return new I32([...this.code, 0x28, 2, ...unsigned(offset)]);
  }
  u8(offset = 0) {
    return new I32([...this.code, 0x2d, 0, ...unsigned(offset)]);
  }
  u16(offset = 0) {
    return new I32([...this.code, 0x2f, 1, ...unsigned(offset)]);
  }
  f32(offset = 0) {
    return new F32([...this.code, 0x2a, 2, ...unsigned(offset)]);
  }
  f64(offset = 0) {
    return new F64([...this.code, 0x2b, 3, ...unsigned(offset)]);
  }
  v128(offset = 0) {
    return new V128([...this.code, 0xfd, 0x00, 2, ...unsigned(offset)]);
  }
  /** One float in all four lanes. */
  splat(offset = 0) {
    return new V128([...this.code, 0xfd, 0x09, 2, ...unsigned(offset)]);
  }
}

/** 64 bits, used as a mask. */
export class I64 extends Value {
  protected constant(value: number): Code {
    return [0x42, ...signed(value)];
  }
  or(other: I64) {
    return new I64(this.with(other, 0x84));
  }
  shl(by: number) {
    return new I64(this.with(by, 0x86));
  }
  isZero() {
    return new I32([...this.code, 0x50]);
  }
  /** The number of the lowest bit that is set. */
  lowest() {
    return new I32([...this.code, 0x7a, 0xa7]);
  }
  /** Without that bit. */
  withoutLowest() {
    return new I64([...this.code, ...this.code, 0x42, 1, 0x7d, 0x83]);
  }
}

/** A 32-bit float. */
export class F32 extends Value {
  static of(value: number): F32 {
    return new F32([0x43, ...new Uint8Array(Float32Array.of(value).buffer)]);
  }
  protected constant(value: number): Code {
    return F32.of(value).code;
  }
  add(other: F32 | number) {
    return new F32(this.with(other, 0x92));
  }
  sub(other: F32 | number) {
    return new F32(this.with(other, 0x93));
  }
  mul(other: F32 | number) {
    return new F32(this.with(other, 0x94));
  }
  div(other: F32 | number) {
    return new F32(this.with(other, 0x95));
  }
  abs() {
    return new F32([...this.code, 0x8b]);
  }
  max(other: F32 | number) {
    return new F32(this.with(other, 0x97));
  }
  sqrt() {
    return new F32([...this.code, 0x91]);
  }
  gt(other: F32 | number) {
    return new I32(this.with(other, 0x5e));
  }
  ge(other: F32 | number) {
    return new I32(this.with(other, 0x60));
  }
  le(other: F32 | number) {
    return new I32(this.with(other, 0x5f));
  }
  lt(other: F32 | number) {
    return new I32(this.with(other, 0x5d));
  }
  eq(other: F32 | number) {
    return new I32(this.with(other, 0x5b));
  }
  promote() {
    return new F64([...this.code, 0xbb]);
  }
  bits() {
    return new I32([...this.code, 0xbc]);
  }
  splat() {
    return new V128([...this.code, 0xfd, 0x13]);
  }
}

/** A 64-bit float. */
export class F64 extends Value {
  protected constant(value: number): Code {
    return [0x44, ...new Uint8Array(Float64Array.of(value).buffer)];
  }
  add(other: F64) {
    return new F64(this.with(other, 0xa0));
  }
  sub(other: F64) {
    return new F64(this.with(other, 0xa1));
  }
  mul(other: F64) {
    return new F64(this.with(other, 0xa2));
  }
  demote() {
    return new F32([...this.code, 0xb6]);
  }
}

/** Four 32-bit floats. */
export class V128 extends Value {
  static zero = new V128([0xfd, 0x0c, ...new Array(16).fill(0)]);
  protected constant(value: number): Code {
    return F32.of(value).splat().code;
  }
  private lanes(other: V128, opcode: number): V128 {
    return new V128([...this.code, ...other.code, 0xfd, ...unsigned(opcode)]);
  }
  private each(opcode: number): Code {
    return [...this.code, 0xfd, ...unsigned(opcode)];
  }
  add(other: V128) {
    return this.lanes(other, 0xe4);
  }
  sub(other: V128) {
    return this.lanes(other, 0xe5);
  }
  mul(other: V128) {
    return this.lanes(other, 0xe6);
  }
  div(other: V128) {
    return this.lanes(other, 0xe7);
  }
  /** The larger of each lane; the second where they are not ordered. */
  max(other: V128) {
    return other.lanes(this, 0xeb);
  }
  abs() {
    return new V128(this.each(0xe0));
  }
  ge(other: V128) {
    return this.lanes(other, 0x46);
  }
  gt(other: V128) {
    return this.lanes(other, 0x44);
  }
  lt(other: V128) {
    return this.lanes(other, 0x43);
  }
  eq(other: V128) {
    return this.lanes(other, 0x41);
  }
  and(other: V128) {
    return this.lanes(other, 0x4e);
  }
  /** These lanes where `mask` is set, and those of `other` elsewhere. */
  where(mask: V128, other: V128) {
    return new V128([...this.code, ...other.code, ...mask.code, 0xfd, 0x52]);
  }
  /** One bit a lane that is set. */
  mask() {
    return new I32(this.each(0xa4));
  }
  any() {
    return new I32(this.each(0x53));
  }
  lane(n: number) {
    return new F32([...this.code, 0xfd, 0x1f, n]);
  }
  shuffle(lanes: readonly [number, number, number, number]) {
    const bytes = lanes.flatMap((lane) => [0, 1, 2, 3].map((byte) => 4 * lane + byte));
    return new V128([...this.code, ...this.code, 0xfd, 0x0d, ...bytes]);
  }
  /** The sum of the two lower lanes, in double precision, and of the two upper ones. */
  promoteLow() {
    return new V128(this.each(0x5f));
  }
  addDoubles(other: V128) {
    return this.lanes(other, 0xf0);
  }
  double(n: number) {
    return new F64([...this.code, 0xfd, 0x21, n]);
  }
  relaxedMadd(b: V128, c: V128) {
    return new V128([...this.code, ...b.code, ...c.code, 0xfd, ...unsigned(0x105)]);
  }
  relaxedNmadd(b: V128, c: V128) {
    return new V128([...this.code, ...b.code, ...c.code, 0xfd, ...unsigned(0x106)]);
  }
}

/** The set lanes of up to four vectors of comparisons as 16 bits. */
export function mask16(lanes: readonly V128[]): I64 {
  const [a, b, c, d] = [0, 1, 2, 3].map((i) => lanes[i]?.code ?? V128.zero.code);
  return new I64([
    ...a,
    ...b,
    0xfd,
    ...unsigned(0x85),
    ...c,
    ...d,
    0xfd,
    ...unsigned(0x85),
    0xfd,
    0x65,
    0xfd,
    0x64,
    0xad,
  ]);
}

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
  /** Several vectors, all zero where they are declared. */
  vectors = (count: number) => Array.from({ length: count }, () => this.v128());

  push(code: Code): void {
    for (const byte of code) this.body.push(byte);
  }

  /** do { … } while (condition) */
  repeat(body: () => void, condition: () => I32): void {
    this.push([0x03, 0x40]);
    body();
    this.push([...condition().code, 0x0d, 0, 0x0b]);
  }
  /** while (condition) { … } */
  while(condition: () => I32, body: () => void): void {
    this.if(condition(), () => this.repeat(body, condition));
  }
  /** for (i = 0; i < n; i++) { … } */
  count(n: I32 | number, body: (i: I32) => void): void {
    const i = this.i32(0);
    this.while(
      () => i.lt(n),
      () => {
        body(i);
        i.set(i.add(1));
      },
    );
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
  /** Calls a function that gives nothing back. */
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

  store(at: I32, value: I32 | F32 | F64 | V128, offset = 0): void {
    const opcode =
      value instanceof I32
        ? [0x36, 2]
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
    const body = [...unsigned(this.locals.length), ...locals];
    for (const byte of this.body) body.push(byte);
    // A function with a result ends by returning it; what follows is never reached.
    if (this.result) body.push(0x00);
    body.push(0x0b);
    return body;
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
  const bodies = functions.map((f) => {
    const body = f.encode();
    return [...unsigned(body.length), ...body];
  });
  const sections: [id: number, body: number[]][] = [
    [1, list(types)],
    [2, list([[...text('env'), ...text('memory'), 2, ...limits]])],
    [3, list(functions.map((_, i) => unsigned(i)))],
    [7, list(functions.map(({ name }, i) => [...text(name), 0, ...unsigned(i)]))],
    [10, list(bodies)],
  ];
  const bytes = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
  for (const [id, body] of sections) {
    bytes.push(id, ...unsigned(body.length));
    for (const byte of body) bytes.push(byte);
  }
  return Uint8Array.from(bytes);
}

function list(items: readonly (readonly number[])[]): number[] {
  const out = unsigned(items.length);
  for (const item of items) for (const byte of item) out.push(byte);
  return out;
}

/** LEB128, unsigned. */
function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value >>> 0;
  do {
    const low = rest & 0x7f;
    rest >>>= 7;
    bytes.push(rest ? low | 0x80 : low);
  } while (rest);
  return bytes;
}

/** LEB128, signed. */
function signed(value: number): number[] {
  const bytes: number[] = [];
  let rest = value | 0;
  for (;;) {
    const low = rest & 0x7f;
    rest >>= 7;
    if ((rest === 0 && !(low & 0x40)) || (rest === -1 && low & 0x40)) return [...bytes, low];
    bytes.push(low | 0x80);
  }
}
