/** The assembler: every operation computes what JavaScript says it should, and every statement does what it is called. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { F32, F64, type Fn, I32, I64, Module, mask16, V128 } from '../../src/engines/wasm/kernels/assembler.js';
import type { Value, ValueType } from '../../src/engines/wasm/kernels/values.js';
import { abilities } from '../../src/engines/wasm/run/host.js';

const { fma } = abilities();

type Exported = (...args: number[]) => number;

/** Builds a module, and gives its functions and its memory. */
async function compile(build: (module: Module) => void) {
  const module = new Module();
  build(module);
  const memory = new WebAssembly.Memory({ initial: 1 });
  const { instance } = await WebAssembly.instantiate(module.bytes(false), { env: { memory } });
  return { run: instance.exports as Record<string, Exported>, memory };
}

/** A function of values in memory: operands are read from bytes 0, 16, 32, …, the result is stored at byte 256. */
async function operation(types: readonly ValueType[], result: ValueType, apply: (operands: Value[]) => Value) {
  const { run, memory } = await compile((module) =>
    module.fn('run', [], undefined, (f) => {
      const read = (type: ValueType, i: number): Value => I32.of(16 * i)[type]();
      f.store(I32.of(256), apply(types.map(read)) as I32);
    }),
  );
  const view = new DataView(memory.buffer);
  const write = (type: ValueType, at: number, value: Operand) => {
    if (type === 'i32') view.setInt32(at, value as number, true);
    else if (type === 'i64') view.setBigInt64(at, value as bigint, true);
    else if (type === 'f32') view.setFloat32(at, value as number, true);
    else if (type === 'f64') view.setFloat64(at, value as number, true);
    else for (const [lane, each] of (value as number[]).entries()) view.setFloat32(at + 4 * lane, each, true);
  };
  const lanes = (at: number) => [0, 1, 2, 3].map((lane) => view.getFloat32(at + 4 * lane, true));
  return (...operands: Operand[]): Operand => {
    for (const [i, value] of operands.entries()) write(types[i], 16 * i, value);
    run.run();
    if (result === 'i32') return view.getInt32(256, true);
    if (result === 'i64') return view.getBigInt64(256, true);
    if (result === 'f32') return view.getFloat32(256, true);
    return result === 'f64' ? view.getFloat64(256, true) : lanes(256);
  };
}

type Operand = number | bigint | number[];

const float = fc.float({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 });
const operands: Readonly<Record<ValueType, fc.Arbitrary<Operand>>> = {
  i32: fc.oneof(fc.integer(), fc.integer({ min: -3, max: 3 })),
  i64: fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.bigInt({ min: -3n, max: 3n })),
  f32: float,
  f64: fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }),
  v128: fc.array(float, { minLength: 4, maxLength: 4 }),
};

const u = (value: number) => value >>> 0;
const round = Math.fround;
const truth = (value: boolean) => Number(value);
const ctz = (value: bigint) => {
  for (let n = 0; n < 64; n++) if ((value >> BigInt(n)) & 1n) return n;
  return 64;
};

/** An operation of a type: what it takes and gives, and what it should compute. */
type Case = readonly [types: readonly ValueType[], result: ValueType, expected: (...operands: never[]) => Operand];
const two = ['i32', 'i32'] as const;
const onI32: Readonly<Record<string, Case>> = {
  add: [two, 'i32', (a: number, b: number) => (a + b) | 0],
  sub: [two, 'i32', (a: number, b: number) => (a - b) | 0],
  mul: [two, 'i32', (a: number, b: number) => Math.imul(a, b)],
  and: [two, 'i32', (a: number, b: number) => a & b],
  or: [two, 'i32', (a: number, b: number) => a | b],
  shl: [two, 'i32', (a: number, b: number) => a << b],
  shr: [two, 'i32', (a: number, b: number) => (a >>> b) | 0],
  eq: [two, 'i32', (a: number, b: number) => truth(a === b)],
  ne: [two, 'i32', (a: number, b: number) => truth(a !== b)],
  lt: [two, 'i32', (a: number, b: number) => truth(u(a) < u(b))],
  gt: [two, 'i32', (a: number, b: number) => truth(u(a) > u(b))],
  le: [two, 'i32', (a: number, b: number) => truth(u(a) <= u(b))],
  ge: [two, 'i32', (a: number, b: number) => truth(u(a) >= u(b))],
  not: [['i32'], 'i32', (a: number) => truth(a === 0)],
  choose: [['i32', 'i32', 'i32'], 'i32', (a: number, condition: number, b: number) => (condition ? a : b)],
  bitCount: [['i32'], 'i32', (a: number) => [...u(a).toString(2)].filter((bit) => bit === '1').length],
  lowestBit: [['i32'], 'i32', (a: number) => (a === 0 ? 32 : ctz(BigInt(u(a))))],
  // Of 0 there is none; kernels ask for counts of at least 1.
  powerBelow: [['i32'], 'i32', (a: number) => (a === 0 ? -(2 ** 31) : (2 ** Math.floor(Math.log2(u(a)))) | 0)],
  widen: [['i32'], 'i64', (a: number) => BigInt(u(a))],
  toFloat: [['i32'], 'f32', (a: number) => round(u(a))],
  toDouble: [['i32'], 'f64', (a: number) => u(a)],
  splatBits: [
    ['i32'],
    'v128',
    (a: number) => {
      const value = new Float32Array(Int32Array.of(a).buffer)[0];
      return [value, value, value, value];
    },
  ],
};
const onI64: Readonly<Record<string, Case>> = {
  or: [['i64', 'i64'], 'i64', (a: bigint, b: bigint) => a | b],
  gt: [['i64', 'i64'], 'i32', (a: bigint, b: bigint) => truth(BigInt.asUintN(64, a) > BigInt.asUintN(64, b))],
  isZero: [['i64'], 'i32', (a: bigint) => truth(a === 0n)],
  lowest: [['i64'], 'i32', (a: bigint) => ctz(BigInt.asUintN(64, a))],
  withoutLowest: [['i64'], 'i64', (a: bigint) => BigInt.asIntN(64, a & (a - 1n))],
};
const floats = ['f32', 'f32'] as const;
const onF32: Readonly<Record<string, Case>> = {
  add: [floats, 'f32', (a: number, b: number) => round(a + b)],
  sub: [floats, 'f32', (a: number, b: number) => round(a - b)],
  mul: [floats, 'f32', (a: number, b: number) => round(a * b)],
  div: [floats, 'f32', (a: number, b: number) => round(a / b)],
  abs: [['f32'], 'f32', (a: number) => Math.abs(a)],
  max: [floats, 'f32', (a: number, b: number) => Math.max(a, b)],
  sqrt: [['f32'], 'f32', (a: number) => round(Math.sqrt(a))],
  gt: [floats, 'i32', (a: number, b: number) => truth(a > b)],
  ge: [floats, 'i32', (a: number, b: number) => truth(a >= b)],
  le: [floats, 'i32', (a: number, b: number) => truth(a <= b)],
  lt: [floats, 'i32', (a: number, b: number) => truth(a < b)],
  eq: [floats, 'i32', (a: number, b: number) => truth(a === b)],
  promote: [['f32'], 'f64', (a: number) => a],
  copySign: [floats, 'f32', (a: number, b: number) => (Object.is(Math.sign(b), -0) || b < 0 ? -1 : 1) * Math.abs(a)],
  bits: [['f32'], 'i32', (a: number) => new Int32Array(Float32Array.of(a).buffer)[0]],
  splat: [['f32'], 'v128', (a: number) => [a, a, a, a]],
};
const doubles = ['f64', 'f64'] as const;
const onF64: Readonly<Record<string, Case>> = {
  add: [doubles, 'f64', (a: number, b: number) => a + b],
  sub: [doubles, 'f64', (a: number, b: number) => a - b],
  mul: [doubles, 'f64', (a: number, b: number) => a * b],
  div: [doubles, 'f64', (a: number, b: number) => a / b],
  max: [doubles, 'f64', (a: number, b: number) => Math.max(a, b)],
  eq: [doubles, 'i32', (a: number, b: number) => truth(a === b)],
  gt: [doubles, 'i32', (a: number, b: number) => truth(a > b)],
  ge: [doubles, 'i32', (a: number, b: number) => truth(a >= b)],
};
const vectors = ['v128', 'v128'] as const;
const each = (f: (a: number, b: number) => number) => (a: number[], b: number[]) => a.map((value, i) => f(value, b[i]));
const onV128: Readonly<Record<string, Case>> = {
  add: [vectors, 'v128', each((a, b) => round(a + b))],
  sub: [vectors, 'v128', each((a, b) => round(a - b))],
  mul: [vectors, 'v128', each((a, b) => round(a * b))],
  div: [vectors, 'v128', each((a, b) => round(a / b))],
  max: [vectors, 'v128', each((a, b) => (a > b ? a : b))],
  min: [vectors, 'v128', each((a, b) => (a < b ? a : b))],
  abs: [['v128'], 'v128', (a: number[]) => a.map(Math.abs)],
  sqrt: [['v128'], 'v128', (a: number[]) => a.map((value) => round(Math.sqrt(value)))],
  mask: [['v128'], 'i32', (a: number[]) => a.reduce((set, value, i) => set | (sign(value) << i), 0)],
  any: [['v128'], 'i32', (a: number[]) => truth(a.some((value) => bits(value) !== 0))],
};
const bits = (value: number) => new Uint32Array(Float32Array.of(value).buffer)[0];
const sign = (value: number) => bits(value) >>> 31;

describe.each([
  ['I32', I32, onI32],
  ['I64', I64, onI64],
  ['F32', F32, onF32],
  ['F64', F64, onF64],
  ['V128', V128, onV128],
] as const)('%s', (_, type, cases) => {
  it.each(Object.keys(cases))('%s', async (name) => {
    const [types, result, expected] = cases[name];
    const apply = ([first, ...rest]: Value[]) =>
      (first as unknown as Record<string, (...others: Value[]) => Value>)[name](...rest);
    const compute = await operation(types, result, apply);
    fc.assert(
      fc.property(fc.tuple(...types.map((each) => operands[each])), (given) => {
        expect(compute(...given)).toEqual((expected as (...all: Operand[]) => Operand)(...given));
      }),
      { numRuns: 200 },
    );
  });

  it('has no operation without a test', () => {
    const own = Object.getOwnPropertyNames(type.prototype).filter((name) => name !== 'constructor');
    const inner = ['constant', 'lanes', 'each'];
    expect(own.filter((name) => !inner.includes(name) && !(name in cases) && !elsewhere.includes(name))).toEqual([]);
  });
});

/** Loads, lanes, comparisons of vectors and what the host may not have: in the tests below. */
const elsewhere = [
  ...[
    'i32',
    'u8',
    'u16',
    'i64',
    'f32',
    'f64',
    'v128',
    'splat',
    'shl',
    'ge',
    'gt',
    'lt',
    'le',
    'eq',
    'and',
    'or',
    'choose',
    'maxBits',
    'minBits',
    'addBits',
    'gtBits',
    'word',
  ],
  ...[
    'lane',
    'shuffle',
    'promoteLow',
    'addDoubles',
    'double',
    'relaxedSwizzle',
    'swizzle',
    'relaxedMadd',
    'relaxedNmadd',
    'relaxedChoose',
  ],
];

describe('vectors', () => {
  const [a, b] = [
    [1, -2, 3, 0],
    [1, 5, -3, -0],
  ];
  const four = (apply: (x: V128, y: V128) => V128) =>
    operation(vectors, 'v128', ([x, y]) => apply(x as V128, y as V128)).then((run) => run(a, b));

  it.each([
    ['ge', (x: number, y: number) => x >= y],
    ['gt', (x: number, y: number) => x > y],
    ['lt', (x: number, y: number) => x < y],
    ['le', (x: number, y: number) => x <= y],
    ['eq', (x: number, y: number) => x === y],
  ] as const)('%s compares lane by lane, and chooses', async (name, expected) => {
    const chosen = await four((x, y) => x.choose(x[name](y), y));
    expect(chosen).toEqual(a.map((value, i) => (expected(value, b[i]) ? value : b[i])));
  });

  it('maxBits and gtBits are max and gt where the second is not negative', async () => {
    const first = [-1, 1e-40, 2.5, 7];
    const second = [0, 3e-40, 2, 7];
    const both = (apply: (x: V128, y: V128) => V128) =>
      operation(vectors, 'v128', ([x, y]) => apply(x as V128, y as V128)).then((run) => run(first, second));
    expect(await both((x, y) => x.maxBits(y))).toEqual([0, Math.fround(3e-40), 2.5, 7]);
    expect(await both((x, y) => x.and(x.gtBits(y)))).toEqual([0, 0, 2.5, 0]);
  });

  it('integers of lanes are compared, added and taken', async () => {
    const [first, second] = [V128.words(7, 3, 0xffff, -1), V128.words(4, 0, 5, 2)];
    const words = async (value: V128) =>
      Promise.all([0, 1, 2, 3].map(async (n) => (await operation([], 'i32', () => value.word(n)))()));
    expect(await words(first)).toEqual([7, 3, 0xffff, -1]);
    expect(await words(first.addBits(second))).toEqual([11, 3, 0x10004, 1]);
    expect(await words(first.minBits(second))).toEqual([4, 0, 5, -1]);
  });

  it.runIf(fma)('relaxedChoose chooses by the lanes of a comparison', async () => {
    const chosen = await four((x, y) => x.relaxedChoose(x.gt(y), y));
    expect(chosen).toEqual(a.map((value, i) => (value > b[i] ? value : b[i])));
  });

  it('and, or keep and join the bits of comparisons', async () => {
    expect(await four((x, y) => x.and(x.gt(y)))).toEqual([0, 0, 3, 0]);
    expect(await four((x, y) => x.and(x.gt(y).or(x.lt(y))))).toEqual([0, -2, 3, 0]);
  });

  it('lanes are taken, moved and widened', async () => {
    for (let n = 0; n < 4; n++) {
      const lane = await operation(['v128'], 'f32', ([x]) => (x as V128).lane(n));
      expect(lane([5, 6, 7, 8])).toBe(5 + n);
    }
    expect(await four((x) => x.shuffle([3, 0, 2, 1]))).toEqual([0, 1, 3, -2]);
    for (const n of [0, 1]) {
      const widened = await operation(vectors, 'f64', ([x, y]) =>
        (x as V128)
          .promoteLow()
          .addDoubles((y as V128).promoteLow())
          .double(n),
      );
      expect(widened([1e9, 0.5, 0, 0], [1, 0.25, 0, 0])).toBe(n === 0 ? 1e9 + 1 : 0.75);
    }
  });

  it('bytes are brought to the front', async () => {
    const order = [3, 1].flatMap((lane) => [0, 1, 2, 3].map((byte) => 4 * lane + byte));
    const pattern = new Float32Array(Uint8Array.from([...order, ...new Array(8).fill(255)]).buffer);
    const { run, memory } = await compile((module) =>
      module.fn('run', [], undefined, (f) => {
        const source = I32.of(0).v128();
        f.store(I32.of(64), source.swizzle(I32.of(16).v128()));
        if (fma) f.store(I32.of(80), source.relaxedSwizzle(I32.of(16).v128()));
      }),
    );
    new Uint8Array(memory.buffer).set(new Uint8Array(Float32Array.of(5, 6, 7, 8).buffer), 0);
    new Uint8Array(memory.buffer).set(new Uint8Array(pattern.buffer), 16);
    run.run();
    expect([...new Float32Array(memory.buffer, 64, 4)]).toEqual([8, 6, 0, 0]);
    if (fma) expect([...new Float32Array(memory.buffer, 80, 2)]).toEqual([8, 6]);
  });

  it.runIf(fma)('a product is added or taken away without rounding in between', async () => {
    // 1 + 2^-23 squared ends in 2^-46, which only a fused sum keeps.
    const e = 1 + 2 ** -23;
    const three = (apply: (x: V128, y: V128, z: V128) => V128) =>
      operation(['v128', 'v128', 'v128'], 'v128', ([x, y, z]) => apply(x as V128, y as V128, z as V128));
    const square = round(e * e);
    const rest = e * e - square;
    const splat = (value: number) => [value, value, value, value];
    const [madd, nmadd] = [
      await three((x, y, z) => x.relaxedMadd(y, z)),
      await three((x, y, z) => x.relaxedNmadd(y, z)),
    ];
    expect([0, rest]).toContain((madd(splat(e), splat(e), splat(-square)) as number[])[0]);
    expect([0, -rest]).toContain((nmadd(splat(e), splat(e), splat(square)) as number[])[0]);
    expect(madd([1, 2, 3, 4], [2, 2, 2, 2], [1, 1, 1, 1])).toEqual([3, 5, 7, 9]);
    expect(nmadd([1, 2, 3, 4], [2, 2, 2, 2], [1, 1, 1, 1])).toEqual([-1, -3, -5, -7]);
  });

  it('the set lanes of four vectors are sixteen bits', async () => {
    const set = await operation(['v128', 'v128', 'v128', 'v128'], 'i64', (given) =>
      mask16(given.map((value) => (value as V128).gt(V128.zero))),
    );
    expect(set([1, -1, 1, -1], [-1, -1, -1, 1], [1, 1, 1, 1], [-1, 1, -1, -1])).toBe(0b0010_1111_1000_0101n);
    const some = await operation(['v128'], 'i64', (given) =>
      mask16(given.map((value) => (value as V128).gt(V128.zero))),
    );
    expect(some([1, 1, -1, 1])).toBe(0b1011n);
  });
});

describe('memory', () => {
  it('is read and written in every width, at an offset', async () => {
    const { run, memory } = await compile((module) =>
      module.fn('run', ['i32'], undefined, (f) => {
        const [at] = f.parameters as [I32];
        f.store8(at, at.u8(1), 100);
        f.store16(at, at.u16(2), 102);
        f.store(at, at.i32(4), 104);
        f.store(at, at.i64(8), 108);
        f.store(at, at.f32(16), 116);
        f.store(at, at.f64(24), 124);
        f.store(at, at.v128(32), 132);
        f.store(at, at.splat(36), 148);
        f.storeLane(at, at.v128(40), 164);
      }),
    );
    const bytes = Uint8Array.from({ length: 64 }, (_, i) => 7 * i + 3);
    new Uint8Array(memory.buffer).set(bytes, 1000);
    run.run(1000);
    const written = new Uint8Array(memory.buffer, 1100, 72);
    const from = (start: number, length: number) => [...bytes.slice(start, start + length)];
    const expected = [
      ...[...from(1, 1), 0, ...from(2, 2), ...from(4, 4), ...from(8, 8), ...from(16, 4), 0, 0, 0, 0],
      ...[...from(24, 8), ...from(32, 16), ...from(36, 4), ...from(36, 4), ...from(36, 4), ...from(36, 4)],
      ...[...from(40, 4), 0, 0, 0, 0],
    ];
    expect([...written]).toEqual(expected);
  });
});

describe('statements', () => {
  const counting = (name: string, build: (f: Fn, n: I32, sum: I32) => void) =>
    compile((module) =>
      module.fn(name, ['i32'], 'i32', (f) => {
        const [n] = f.parameters as [I32];
        const sum = f.i32(0);
        build(f, n, sum);
        f.return(sum);
      }),
    ).then(({ run }) => run[name]);

  it('count runs from 0 to n − 1, and not at all for 0', async () => {
    const run = await counting('run', (f, n, sum) => f.count(n, (i) => sum.set(sum.add(i.mul(i)))));
    for (const n of [0, 1, 2, 10]) expect(run(n)).toBe(((n - 1) * n * (2 * n - 1)) / 6 || 0);
  });

  it('while looks before, repeat after', async () => {
    const down = (f: Fn, n: I32, sum: I32) => {
      sum.set(sum.add(10));
      n.set(n.sub(1));
      f.if(n.eq(3), () => sum.set(sum.add(1)));
    };
    const whiles = await counting('run', (f, n, sum) => f.while(n.gt(0), () => down(f, n, sum)));
    const repeats = await counting('run', (f, n, sum) => f.repeat(() => down(f, n, sum), n.gt(0)));
    expect([0, 1, 5].map((n) => whiles(n))).toEqual([0, 10, 51]);
    expect([1, 5].map((n) => repeats(n))).toEqual([10, 51]);
  });

  it('if has another branch, and return ends the function', async () => {
    const run = await counting('run', (f, n, sum) => {
      f.if(
        n.lt(5),
        () => sum.set(1),
        () => sum.set(2),
      );
      f.if(n.eq(7), () => f.return(I32.of(-70_000)));
    });
    expect([4, 5, 7].map((n) => run(n))).toEqual([1, 2, -70_000]);
  });

  it('functions call each other, for a value or for what they do', async () => {
    const { run } = await compile((module) => {
      const square = module.fn('square', ['i32'], 'i32', (f) => {
        const [x] = f.parameters as [I32];
        f.return(x.mul(x));
      });
      const put = module.fn('put', ['i32', 'i32'], undefined, (f) => {
        const [at, value] = f.parameters as [I32, I32];
        f.store(at, value);
      });
      module.fn('sumOfSquares', ['i32'], 'i32', (f) => {
        const [n] = f.parameters as [I32];
        const sum = f.i32(0);
        f.count(n, (i) => sum.set(sum.add(f.value(square, i.add(1)) as I32)));
        f.call(put, I32.of(16), sum);
        f.return(I32.of(16).i32());
      });
    });
    for (const n of [0, 1, 7, 500]) expect(run.sumOfSquares(n)).toBe((n * (n + 1) * (2 * n + 1)) / 6);
  });

  it('constants of any size are what they are', async () => {
    const { run } = await compile((module) => {
      for (const [i, value] of constants.entries()) module.fn(`c${i}`, [], 'i32', (f) => f.return(I32.of(value)));
      module.fn('half', [], 'f32', (f) => f.return(f.f32(0.5).add(0.25)));
      module.fn('third', [], 'f64', (f) => f.return(f.f64(1 / 3)));
      module.fn('shifted', [], 'i32', (f) => {
        const wide = f.i64(5);
        f.return(wide.shl(2).gt(f.i64(19)));
      });
    });
    constants.forEach((value, i) => {
      expect(run[`c${i}`]()).toBe(value);
    });
    expect([run.half(), run.third(), run.shifted()]).toEqual([0.75, 1 / 3, 1]);
  });
  const constants = [0, 1, -1, 63, 64, -64, -65, 127, 128, 8191, 8192, 2 ** 20, 2 ** 31 - 1, -(2 ** 31)];

  it('only a local can be set', () => {
    expect(() => I32.of(3).set(4)).toThrow('only a local can be set');
  });

  it('a shared memory is asked for where threads need it', async () => {
    const module = new Module();
    module.fn('run', [], 'i32', (f) => f.return(I32.of(3)));
    const compiled = await WebAssembly.compile(module.bytes(true));
    const own = new WebAssembly.Memory({ initial: 1 });
    await expect(WebAssembly.instantiate(compiled, { env: { memory: own } })).rejects.toThrow();
    const shared = new WebAssembly.Memory({ initial: 1, maximum: 65536, shared: true });
    const { exports } = await WebAssembly.instantiate(compiled, { env: { memory: shared } });
    expect((exports.run as Exported)()).toBe(3);
  });
});
