/** The values of the assembler: expressions, each with the operations of its type as methods. */

/** Instructions as bytes. */
export type Code = readonly number[];

/** The types of values; v128 holds four float32. */
export type ValueType = 'i32' | 'i64' | 'f32' | 'f64' | 'v128';

export const TYPE_CODE: Readonly<Record<ValueType, number>> = {
  i32: 0x7f,
  i64: 0x7e,
  f32: 0x7d,
  f64: 0x7c,
  v128: 0x7b,
};

/** An expression: the code that leaves a value on the stack. A local can also be set. */
export abstract class Value {
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

  /** The code of an instruction on this value and another one, or a constant. */
  protected with(other: Value | number, instruction: Code): Code {
    return [...this.code, ...(typeof other === 'number' ? this.constant(other) : other.code), ...instruction];
  }
}

/** Opcodes by the names of their operations. */
type Opcodes<Name extends string> = Readonly<Record<Name, number>>;

/** What an operation with another value or a constant results in: a value of the same type, or a truth value. */
type Operation = <T extends Value>(this: T, other: T | number) => T;
type Comparison = <T extends Value>(this: T, other: T | number) => I32;

/** A class of values with these operations and comparisons as methods. */
function withOperations<O extends string, C extends string = never>(
  operations: Opcodes<O>,
  comparisons: Opcodes<C> = {} as Opcodes<C>,
  encode: (opcode: number) => Code = (opcode) => [opcode],
) {
  abstract class Operations extends Value {
    static define(opcodes: Opcodes<string>, resultOf: (value: Value) => unknown): void {
      for (const [name, opcode] of Object.entries(opcodes)) {
        const instruction = encode(opcode);
        const value = function (this: Operations, other: Value | number) {
          return new (resultOf(this) as new (code: Code) => Value)(this.with(other, instruction));
        };
        Object.defineProperty(Operations.prototype, name, { value });
      }
    }
  }
  Operations.define(operations, (value) => value.constructor);
  Operations.define(comparisons, () => I32);
  return Operations as unknown as abstract new (
    ...parameters: ConstructorParameters<typeof Value>
  ) => Value & Record<O, Operation> & Record<C, Comparison>;
}

/** A 32-bit integer; as an address it can load what lies there, `offset` bytes on. Comparisons are unsigned: addresses and counts. */
export class I32 extends withOperations({
  add: 0x6a,
  sub: 0x6b,
  mul: 0x6c,
  and: 0x71,
  or: 0x72,
  shl: 0x74,
  shr: 0x76,
  eq: 0x46,
  ne: 0x47,
  lt: 0x49,
  gt: 0x4b,
  le: 0x4d,
  ge: 0x4f,
}) {
  static of(value: number): I32 {
    return new I32([0x41, ...signed(value)]);
  }
  protected constant(value: number): Code {
    return I32.of(value).code;
  }

  not() {
    return new I32([...this.code, 0x45]);
  }
  /** This where the condition holds, and the other elsewhere. */
  choose(condition: I32, other: I32 | number) {
    const otherwise = typeof other === 'number' ? I32.of(other) : other;
    return new I32([...this.code, ...otherwise.code, ...condition.code, 0x1b]);
  }
  /** How many bits are set. */
  bitCount() {
    return new I32([...this.code, 0x69]);
  }
  /** The number of the lowest bit that is set. */
  lowestBit() {
    return new I32([...this.code, 0x68]);
  }
  /** The largest power of two that is no larger. */
  powerBelow() {
    return new I32([0x41, ...signed(-(2 ** 31)), ...this.code, 0x67, 0x76]);
  }
  widen() {
    return new I64([...this.code, 0xad]);
  }
  toFloat() {
    return new F32([...this.code, 0xb3]);
  }
  toDouble() {
    return new F64([...this.code, 0xb8]);
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
  i64(offset = 0) {
    return new I64([...this.code, 0x29, 2, ...unsigned(offset)]);
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
  /** These bits in all four lanes. */
  splatBits() {
    return new V128([...this.code, 0xfd, 0x11]);
  }
  /** One float in all four lanes. */
  splat(offset = 0) {
    return new V128([...this.code, 0xfd, 0x09, 2, ...unsigned(offset)]);
  }
}

/** 64 bits, used as a mask or as a pair of words that is compared as one. */
export class I64 extends withOperations({ or: 0x84, shl: 0x86 }, { gt: 0x56 }) {
  protected constant(value: number): Code {
    return [0x42, ...signed(value)];
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
export class F32 extends withOperations(
  { add: 0x92, sub: 0x93, mul: 0x94, div: 0x95, max: 0x97, copySign: 0x98 },
  { gt: 0x5e, ge: 0x60, le: 0x5f, lt: 0x5d, eq: 0x5b },
) {
  static of(value: number): F32 {
    return new F32([0x43, ...new Uint8Array(Float32Array.of(value).buffer)]);
  }
  protected constant(value: number): Code {
    return F32.of(value).code;
  }
  abs() {
    return new F32([...this.code, 0x8b]);
  }
  sqrt() {
    return new F32([...this.code, 0x91]);
  }
  promote() {
    return new F64([...this.code, 0xbb]);
  }
  /** With the sign of the other. */
  bits() {
    return new I32([...this.code, 0xbc]);
  }
  splat() {
    return new V128([...this.code, 0xfd, 0x13]);
  }
}

/** A 64-bit float. */
export class F64 extends withOperations(
  { add: 0xa0, sub: 0xa1, mul: 0xa2, div: 0xa3, max: 0xa5 },
  { eq: 0x61, gt: 0x64, ge: 0x66 },
) {
  static of(value: number): F64 {
    return new F64([0x44, ...new Uint8Array(Float64Array.of(value).buffer)]);
  }
  protected constant(value: number): Code {
    return F64.of(value).code;
  }
}

/** Four 32-bit floats. */
export class V128 extends withOperations(
  {
    add: 0xe4,
    sub: 0xe5,
    mul: 0xe6,
    div: 0xe7,
    ge: 0x46,
    gt: 0x44,
    lt: 0x43,
    le: 0x45,
    eq: 0x41,
    and: 0x4e,
    or: 0x50,
    addDoubles: 0xf0,
  },
  undefined,
  (opcode) => [0xfd, ...unsigned(opcode)],
) {
  static zero = V128.words(0, 0, 0, 0);
  /** Four integers. */
  static words(...words: readonly [number, number, number, number]): V128 {
    return new V128([0xfd, 0x0c, ...new Uint8Array(Int32Array.from(words).buffer)]);
  }
  protected constant(value: number): Code {
    return F32.of(value).splat().code;
  }
  private lanes(other: V128, opcode: number): V128 {
    return new V128([...this.code, ...other.code, 0xfd, ...unsigned(opcode)]);
  }
  private each(opcode: number): Code {
    return [...this.code, 0xfd, ...unsigned(opcode)];
  }
  /** The larger of each lane; the second where they are not ordered. */
  max(other: V128) {
    return other.lanes(this, 0xeb);
  }
  /** The smaller of each lane; the second where they are not ordered. */
  min(other: V128) {
    return other.lanes(this, 0xea);
  }
  /** The larger of each lane, of lanes that are not negative. */
  maxBits(other: V128) {
    return this.lanes(other, 0xb8);
  }
  /** The smaller of each lane, as integers. */
  minBits(other: V128) {
    return this.lanes(other, 0xb6);
  }
  /** The sum of each lane, as integers. */
  addBits(other: V128) {
    return this.lanes(other, 0xae);
  }
  /** Whether each lane is larger than a lane that is not negative. */
  gtBits(other: V128) {
    return this.lanes(other, 0x3b);
  }
  abs() {
    return new V128(this.each(0xe0));
  }
  sqrt() {
    return new V128(this.each(0xe3));
  }
  /** This where the lanes of a comparison are set, and the other elsewhere. */
  choose(condition: V128, other: V128) {
    return new V128([...this.code, ...other.code, ...condition.code, 0xfd, 0x52]);
  }
  /** One bit a lane that is set. */
  mask() {
    return new I32(this.each(0xa4));
  }
  any() {
    return new I32(this.each(0x53));
  }
  /** The same, where each lane of the condition is all set or not at all. */
  relaxedChoose(condition: V128, other: V128) {
    return new V128([...this.code, ...other.code, ...condition.code, 0xfd, ...unsigned(0x10b)]);
  }
  lane(n: number) {
    return new F32([...this.code, 0xfd, 0x1f, n]);
  }
  word(n: number) {
    return new I32([...this.code, 0xfd, 0x1b, n]);
  }
  shuffle(lanes: readonly [number, number, number, number]) {
    const bytes = lanes.flatMap((lane) => [0, 1, 2, 3].map((byte) => 4 * lane + byte));
    return new V128([...this.code, ...this.code, 0xfd, 0x0d, ...bytes]);
  }
  /** The sum of the two lower lanes, in double precision, and of the two upper ones. */
  promoteLow() {
    return new V128(this.each(0x5f));
  }
  double(n: number) {
    return new F64([...this.code, 0xfd, 0x21, n]);
  }
  /** The bytes that `bytes` names, in its order; a number beyond 15 gives anything. */
  relaxedSwizzle(bytes: V128) {
    return this.lanes(bytes, 0x100);
  }
  /** The bytes that `bytes` names, in its order; a number beyond 15 gives 0. */
  swizzle(bytes: V128) {
    return this.lanes(bytes, 0x0e);
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
  const narrow = [0xfd, ...unsigned(0x85)];
  return new I64([...a, ...b, ...narrow, ...c, ...d, ...narrow, 0xfd, 0x65, 0xfd, 0x64, 0xad]);
}

/** LEB128, unsigned. */
export function unsigned(value: number): number[] {
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
