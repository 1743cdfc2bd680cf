/** Order statistics without a full sort: quickselect (C. A. R. Hoare, "Algorithm 65: find", 1961). */

/**
 * The value of rank k (from 0) among values[from … to − 1]. They are rearranged so that no value before index from + k is greater
 * and none after it is less. No value may be NaN.
 */
export function ranked(values: Float64Array, k: number, from = 0, to = values.length): number {
  const wanted = from + k;
  let [left, right] = [from, to - 1];
  while (left < right) {
    const pivot = medianOfThree(values[left], values[(left + right) >> 1], values[right]);
    let [i, j] = [left, right];
    while (i <= j) {
      while (values[i] < pivot) i++;
      while (values[j] > pivot) j--;
      if (i > j) break;
      const value = values[i];
      values[i++] = values[j];
      values[j--] = value;
    }
    // The values between j and i equal the pivot.
    if (wanted <= j) right = j;
    else if (wanted >= i) left = i;
    else break;
  }
  return values[wanted];
}

/** The q-quantile, interpolated between the two nearest ranks; rearranges the values. */
export function quantile(values: Float64Array, q: number): number {
  const rank = q * (values.length - 1);
  const k = Math.floor(rank);
  const low = ranked(values, k);
  if (k === rank) return low;
  return low + (rank - k) * (ranked(values, 0, k + 1) - low);
}

function medianOfThree(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
