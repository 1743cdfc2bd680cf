/**
 * The eigenvalues of a symmetric tridiagonal matrix T above a bound. By Sturm's theorem, the number of eigenvalues above x is the
 * number of positive terms in
 *
 *     q₀ = d₀ − x,   qᵢ = dᵢ − x − eᵢ₋₁² / qᵢ₋₁
 *
 * so each is found by bisection. Only a few eigenvalues of a group are above its noise, so this costs far less than the whole
 * decomposition. Every term depends on the one before it, so eight eigenvalues are computed side by side, one per lane.
 */
import { F32, type Fn, type I32, type Module, V128 } from '../assembler.js';
import type { GroupTarget } from './target.js';

/** Bisections of the logarithm. The error that remains is 10⁻⁵ of the eigenvalue, which inverse iteration tolerates. */
const BISECTIONS = 20;
/** Eigenvalues below this share of the largest are rounding errors. */
const LEAST = 1e-7;
/** Replaces a term that is zero. */
const TINY = 1e-20;

/** The value, or `least` if its magnitude is not above that, to avoid a division by zero. */
export function awayFromZero(value: V128, least: V128): V128 {
  return value.choose(value.abs().gt(least), least);
}

/** rank(scratch, bound) → the number of eigenvalues above the bound. */
export function rankAbove(module: Module, name: string, target: GroupTarget, N: number): Fn {
  const { diagonal, off } = target.scratch;
  return module.fn(`${name}Rank`, ['i32', 'f32'], 'i32', (f) => {
    const [at, bound] = f.parameters as [I32, F32];
    const [q, e, rank, end] = [f.f32(), f.f32(0), f.i32(0), f.i32(at.add(4 * N))];
    const place = f.i32(at);
    q.set(1);
    f.repeat(() => {
      q.set(place.f32(diagonal).sub(bound).sub(e.mul(e).div(q)));
      f.if(q.abs().lt(TINY), () => q.set(TINY));
      rank.set(rank.add(q.gt(0)));
      e.set(place.f32(off));
      place.set(place.add(4));
    }, place.lt(end));
    f.return(rank);
  });
}

/** An upper bound of all eigenvalues, by Gershgorin's theorem. */
export function boundAbove(f: Fn, target: GroupTarget, at: I32, N: number): F32 {
  const { diagonal, off } = target.scratch;
  const [most, e, place, end] = [f.f32(0), f.f32(0), f.i32(at), f.i32(at.add(4 * N))];
  f.repeat(() => {
    most.set(most.max(place.f32(diagonal).add(e).add(place.f32(off).abs())));
    e.set(place.f32(off).abs());
    place.set(place.add(4));
  }, place.lt(end));
  return most;
}

/** The lanes `from`, from + 1, from + 2, from + 3. */
const lanes = (from: number) =>
  new V128([0xfd, 0x0c, ...new Uint8Array(Float32Array.from([0, 1, 2, 3], (lane) => from + lane).buffer)]);

/** eigenvalues(scratch, bound, rank): writes the `rank` eigenvalues above the bound to the scratch, largest first. */
export function eigenvalues(module: Module, name: string, target: GroupTarget, N: number): Fn {
  const { diagonal, off, values } = target.scratch;
  return module.fn(`${name}Eigenvalues`, ['i32', 'f32', 'i32'], undefined, (f) => {
    const [at, bound, rank] = f.parameters as [I32, F32, I32];
    const most = boundAbove(f, target, at, N);
    const least = f.v128(bound.max(most.mul(LEAST)).splat());
    const [one, tiny] = [f.v128(F32.of(1).splat()), f.v128(F32.of(TINY).splat())];
    const [chosen, place, end] = [f.i32(0), f.i32(), f.i32(at.add(4 * N))];
    const [d, squares, last] = [f.v128(), f.v128(), f.v128(rank.sub(1).toFloat().splat())];
    const pair = () => f.vectors(2);
    const [wanted, low, high, middle, q, count] = [pair(), pair(), pair(), pair(), pair(), pair()];
    const both = (body: (v: number) => void) => [0, 1].forEach(body);
    f.repeat(() => {
      both((v) => {
        // Lanes beyond the last eigenvalue repeat it.
        wanted[v].set(
          chosen
            .toFloat()
            .splat()
            .add(lanes(4 * v)),
        );
        wanted[v].set(last.choose(wanted[v].gt(last), wanted[v]));
        low[v].set(least);
        high[v].set(most.splat());
      });
      f.count(BISECTIONS, () => {
        both((v) => {
          middle[v].set(low[v].mul(high[v]).sqrt());
          count[v].set(V128.zero);
          q[v].set(one);
        });
        squares.set(V128.zero);
        place.set(at);
        f.repeat(() => {
          d.set(place.splat(diagonal));
          both((v) => {
            q[v].set(d.sub(middle[v]).sub(squares.div(q[v])));
            q[v].set(awayFromZero(q[v], tiny));
            count[v].set(count[v].add(one.and(q[v].gt(V128.zero))));
          });
          squares.set(place.splat(off));
          squares.set(squares.mul(squares));
          place.set(place.add(4));
        }, place.lt(end));
        both((v) => {
          const higher = count[v].gt(wanted[v]);
          low[v].set(middle[v].choose(higher, low[v]));
          high[v].set(high[v].choose(higher, middle[v]));
        });
      });
      both((v) => {
        f.store(chosen.shl(2).add(at), low[v].mul(high[v]).sqrt(), values + 16 * v);
      });
      chosen.set(chosen.add(8));
    }, chosen.lt(rank));
  });
}
