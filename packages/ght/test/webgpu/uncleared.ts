/**
 * Dawn clears workgroup memory before a kernel runs. SwiftShader takes a millisecond per word to compile that, which is most of the time
 * of these tests. So they run without, on memory that may hold anything: the kernels must not depend on it.
 */
if (process.env.GHT_TEST_ENGINES === 'webgpu') {
  const { create, globals } = await import('webgpu');
  for (const [name, value] of Object.entries(globals)) {
    if (!(name in globalThis)) Object.assign(globalThis, { [name]: value });
  }
  const gpu = create(['enable-dawn-features=disable_workgroup_init']);
  Object.defineProperty(globalThis, 'navigator', { value: { gpu }, configurable: true });
}

export {};
